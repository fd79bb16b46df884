import { Injectable } from '@nestjs/common';
import { type Instance, InstanceRepository } from 'rookery/push-device';
import { DocumentStore, path } from '../store/document.store.js';

// SDKs send ids in either case; devices are stored under the instance's own id, which is therefore in lower case.
const byId = (id: string) => path('instances', id.toLowerCase());

/** Beams instances. */
@Injectable()
export class StoredInstanceRepository extends InstanceRepository {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  async find(id: string): Promise<Instance | undefined> {
    return (await this.store.read<Instance>(byId(id)))?.value;
  }

  /** Rookery does not call it; an application that adds and changes its instances does. */
  async save(instance: Instance): Promise<void> {
    await this.store.transact(async (documents) =>
      documents.set(byId(instance.id), { ...instance, id: instance.id.toLowerCase() }),
    );
  }
}
