import { Injectable } from '@nestjs/common';
import { TypeOrmAnnouncementRepository } from 'rookery/typeorm';

/** That of a worker: the process that started it has taken over what was left behind. */
@Injectable()
export class WorkersAnnouncements extends TypeOrmAnnouncementRepository {
  override async all(): Promise<readonly []> {
    return [];
  }
}
