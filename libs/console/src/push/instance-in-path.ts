import { Injectable, Param, type PipeTransform } from '@nestjs/common';
import type { Instance } from 'rookery/push-device';
import { PushServices } from './push-services.js';

@Injectable()
class InstanceInPath implements PipeTransform<string, Promise<Instance>> {
  constructor(private readonly push: PushServices) {}

  /** @throws ConsoleError 404 */
  transform(id: string): Promise<Instance> {
    return this.push.find(id);
  }
}

/** The push instance that the path names. */
export const InInstance = (): ParameterDecorator => Param('instance', InstanceInPath);
