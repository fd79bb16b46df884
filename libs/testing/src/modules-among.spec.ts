import { forwardRef, Module } from '@nestjs/common';
import { expect, it } from 'vitest';
import { modulesAmong } from './modules-among.js';

class Dynamic {}

@Module({ imports: [Promise.resolve({ module: Dynamic })] })
class Deep {}

@Module({ imports: [forwardRef(() => Round), Deep] })
class Forward {}

@Module({ imports: [Forward] })
class Round {}

@Module({})
class Named {}

it('finds modules behind classes, dynamic modules, promises and forward references, even in a cycle', async () => {
  const found = await modulesAmong([Round, { module: Named, imports: [Deep] }]);
  expect([...found]).toEqual([Round, Forward, Deep, Dynamic, Named]);
});
