import { describe, expect, it } from 'vitest';
import { type App, AppRepository, appFrom, ConfiguredAppRepository } from 'rookery/channels';
import { appRepositoryContract, contractApps } from './app-repository.contract.js';
import { brokenPromises, itKeeps } from './contract.js';

const apps = () => new ConfiguredAppRepository({ apps: contractApps });

describe('ConfiguredAppRepository', () => {
  itKeeps(appRepositoryContract, () => ({ port: apps() }));

  it.each([
    [
      [
        { id: 'a', key: 'k', secret: 's' },
        { id: 'a', key: 'l', secret: 's' },
      ],
      'two apps have the id "a"',
    ],
    [
      [
        { id: 'a', key: 'k', secret: 's' },
        { id: 'b', key: 'k', secret: 's' },
      ],
      'two apps have the key "k"',
    ],
    [[{ id: 'a', key: 'k', secret: '' }], 'apps[].secret must be a text that is not empty'],
  ])('refuses %j', (wrong, text) => {
    expect(() => new ConfiguredAppRepository({ apps: wrong })).toThrow(text);
  });
});

abstract class Doubled extends AppRepository {
  protected readonly right = apps();
  findById(id: string): App | undefined {
    return this.right.findById(id);
  }
  findByKey(key: string): App | undefined {
    return this.right.findByKey(key);
  }
}
class IgnoresCase extends Doubled {
  override findById(id: string): App | undefined {
    return this.right.findById(id.toLowerCase());
  }
}
class LooksEverywhere extends Doubled {
  override findByKey(key: string): App | undefined {
    return this.right.findById(key) ?? this.right.findByKey(key);
  }
}
class AnswersTheFirst extends Doubled {
  override findById(id: string): App {
    return this.right.findById(id) ?? appFrom(contractApps[0]!);
  }
}
class LeavesSettingsOut extends Doubled {
  override findById(id: string): App | undefined {
    return contractApps.find((app) => app.id === id) as App | undefined;
  }
}

describe('the contract of AppRepository rejects an implementation that', () => {
  it.each([
    [IgnoresCase, 'answers undefined for what it does not know'],
    [LooksEverywhere, 'finds each app by its id and by its key, exactly'],
    [AnswersTheFirst, 'answers undefined for what it does not know'],
    [LeavesSettingsOut, 'answers apps with every setting filled in'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(appRepositoryContract, () => ({ port: new Broken() }))).toContain(promise);
  });
});
