import { expect, it } from 'vitest';
import { ConfiguredAppRepository } from 'rookery/channels';
import { TypeOrmAppRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { contractApps, describeAppRepository } from '@rookery/testing';
import { describeBrokenDoubles } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const apps = () => new ConfiguredAppRepository({ apps: contractApps });

describeNode('ConfiguredAppRepository', () => {
  describeAppRepository(apps);

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
    [
      [
        { id: 'a', key: 'k', secret: 's' },
        { id: 'b', key: 'l', secret: 's', keys: [{ key: 'k', secret: 's' }] },
      ],
      'two apps have the key "k"',
    ],
    [[{ id: 'a', key: 'k', secret: 's', keys: [{ key: 'k', secret: 's' }] }], 'the app "a" has a key and secret twice'],
  ])('refuses %j', (wrong, text) => {
    expect(() => new ConfiguredAppRepository({ apps: wrong })).toThrow(text);
  });
});

describeDatabases('TypeOrmAppRepository', ({ database }) => {
  const stored = async () => {
    const repository = new TypeOrmAppRepository(database());
    await database().execute('DELETE FROM rookery_apps');
    for (const app of contractApps) await repository.save(app);
    return repository;
  };
  describeAppRepository(stored);

  it('keeps several secrets of a key', async () => {
    const repository = await stored();
    const renewed = { id: 'renewed', key: 'same', secret: 'new', keys: [{ key: 'same', secret: 'old' }] };
    await repository.save(renewed);
    expect(await repository.findByKey('same')).toEqual(renewed);
  });

  it('changes and removes apps while the application runs', async () => {
    const repository = await stored();
    await repository.save({ id: 'one', key: 'new key', secret: 'new', clientEvents: true });
    expect(await repository.findByKey('new key')).toMatchObject({ id: 'one', secret: 'new', clientEvents: true });
    expect(await repository.findByKey('Key')).toBeUndefined();
    await repository.remove('one');
    expect(await repository.findById('one')).toBeUndefined();
  });

  it('refuses a key that another app has', async () => {
    const repository = await stored();
    await expect(repository.save({ id: 'four', key: 'key', secret: 's' })).rejects.toThrow(/unique/i);
    await expect(repository.save({ id: 'four', key: 'old', secret: 's' })).rejects.toThrow(/unique/i);
    const further = { id: 'four', key: 'four', secret: 's', keys: [{ key: 'Key', secret: 's' }] };
    await expect(repository.save(further)).rejects.toThrow(/unique/i);
    expect(await repository.findById('four')).toBeUndefined();
  });

  it('lets a key be replaced: both are valid until the old one is removed', async () => {
    const repository = await stored();
    const rotated = { id: 'one', key: 'new', secret: 'new', keys: [{ key: 'Key', secret: 'first' }] };
    await repository.save(rotated);
    expect([await repository.findByKey('new'), await repository.findByKey('Key')]).toEqual([rotated, rotated]);
    await repository.save({ ...rotated, keys: [] });
    expect(await repository.findByKey('new')).toMatchObject({ id: 'one' });
    expect(await repository.findByKey('Key')).toBeUndefined();
  });
});

describeBrokenDoubles('AppRepository', describeAppRepository, apps, (right, double) => ({
  'answers nothing for unknown ids and keys': [
    double('ignores case', { findById: (id) => right.findById(id.toLowerCase()) }),
    double('answers the first', { findById: (id) => right.findById(id) ?? contractApps[0] }),
  ],
  'finds each app by its id and by its key, exactly': double('looks everywhere', {
    findByKey: (key) => right.findById(key) ?? right.findByKey(key),
  }),
  'finds an app by each of its additional keys, if it supports them, and answers all of them': double('finds one key', {
    findByKey(key) {
      const found = right.findByKey(key);
      return found?.key === key ? found : undefined;
    },
  }),
}));
