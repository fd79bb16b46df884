import { expect, it } from 'vitest';
import { ConfiguredInstanceRepository, InstanceRepository, type Instance } from 'rookery/push-device';
import { TypeOrmInstanceRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { contractInstances, describeInstanceRepository } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';
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

abstract class Doubled extends InstanceRepository {
  protected readonly right = configured();
  find(id: string): Instance | undefined {
    return this.right.find(id);
  }
}
class IsCaseSensitive extends Doubled {
  override find(id: string): Instance | undefined {
    return contractInstances.find((instance) => instance.id === id);
  }
}
class KeepsTheCase extends Doubled {
  override find(id: string): Instance | undefined {
    return contractInstances.find((instance) => instance.id.toLowerCase() === id.toLowerCase());
  }
}
class Trims extends Doubled {
  override find(id: string): Instance | undefined {
    return this.right.find(id.trim());
  }
}
class AnswersTheFirst extends Doubled {
  override find(id: string): Instance | undefined {
    return this.right.find(id) ?? contractInstances[0];
  }
}
class LeavesCredentialsOut extends Doubled {
  override find(id: string): Instance | undefined {
    const found = this.right.find(id);
    return found && { id: found.id, secretKey: found.secretKey };
  }
}
class AnswersOnce extends Doubled {
  private readonly asked = new Set<string>();
  override find(id: string): Instance | undefined {
    const isFirst = !this.asked.has(id);
    this.asked.add(id);
    return isFirst ? this.right.find(id) : undefined;
  }
}

describeNode('the contract of InstanceRepository rejects an implementation that', () => {
  it.each([
    [IsCaseSensitive, 'finds an instance whatever the case of its id, and answers the id in lower case'],
    [KeepsTheCase, 'finds an instance whatever the case of its id, and answers the id in lower case'],
    [Trims, 'answers nothing for unknown ids and keys'],
    [AnswersTheFirst, 'answers nothing for unknown ids and keys'],
    [LeavesCredentialsOut, 'finds each instance with all its settings'],
    [AnswersOnce, 'answers the same for the same id every time'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeInstanceRepository, () => new Broken())).toContain(promise);
  });
});
