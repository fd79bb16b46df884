import { expect, it } from 'vitest';
import { ConfiguredInstanceRepository, type Instance } from 'rookery/push-device';
import { TypeOrmInstanceRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { contractInstances, describeInstanceRepository } from '@rookery/testing';
import { describeBrokenDoubles } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const configured = () => new ConfiguredInstanceRepository({ instances: contractInstances });

describeNode('ConfiguredInstanceRepository', () => {
  describeInstanceRepository(configured);
});

describeDatabases('TypeOrmInstanceRepository', ({ database }) => {
  const stored = async () => {
    const repository = new TypeOrmInstanceRepository(database());
    await database().execute('DELETE FROM rookery_instances');
    for (const instance of contractInstances) await repository.save(instance);
    return repository;
  };
  describeInstanceRepository(stored);

  it('changes and removes instances while the application runs', async () => {
    const [repository, [{ id }]] = [await stored(), contractInstances as readonly [Instance]];
    await repository.save({ id: id.toUpperCase(), secretKey: 'new' });
    expect(await repository.find(id)).toMatchObject({ secretKey: 'new' });
    await repository.remove(id.toUpperCase());
    expect(await repository.find(id)).toBeUndefined();
  });

  it('refuses an id that is no UUID', async () => {
    await expect((await stored()).save({ id: 'x', secretKey: 's' })).rejects.toThrow(/must be a UUID, got "x"/);
  });
});

describeBrokenDoubles('InstanceRepository', describeInstanceRepository, configured, (right, double) => ({
  'finds an instance whatever the case of its id, and answers the id in lower case': [
    double('is case sensitive', { find: (wanted) => contractInstances.find(({ id }) => id === wanted) }),
    double('keeps the case', {
      find: (wanted) => contractInstances.find(({ id }) => id.toLowerCase() === wanted.toLowerCase()),
    }),
  ],
  'answers nothing for unknown ids and keys': [
    double('trims', { find: (id) => right.find(id.trim()) }),
    double('answers the first', { find: (id) => right.find(id) ?? contractInstances[0] }),
  ],
  'finds each instance with all its settings': double('leaves credentials out', {
    find(wanted) {
      const { id, secretKey } = right.find(wanted) ?? {};
      return id && secretKey ? { id, secretKey } : undefined;
    },
  }),
  'answers the same for the same id every time': double('answers once', (asked = new Set<string>()) => ({
    find(id) {
      const isFirst = !asked.has(id);
      asked.add(id);
      return isFirst ? right.find(id) : undefined;
    },
  })),
}));
