import { Injectable } from '@nestjs/common';
import { SignIns } from '#common';
import { Database } from '../database/database.js';

/** In a database, for all processes. Each new session deletes expired ones. */
@Injectable()
export class TypeOrmSignIns extends SignIns {
  constructor(private readonly database: Database) {
    super();
  }

  async begin(name: string, seconds: number): Promise<void> {
    const now = Date.now();
    await this.database.execute('DELETE FROM rookery_sign_ins WHERE ends_at <= ?', [now]);
    await this.database.execute(
      `INSERT INTO rookery_sign_ins (name, ends_at) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET ends_at = excluded.ends_at`,
      [name, now + seconds * 1000],
    );
  }

  async isOpen(name: string): Promise<boolean> {
    const found = await this.database.read('SELECT 1 FROM rookery_sign_ins WHERE name = ? AND ends_at > ?', [
      name,
      Date.now(),
    ]);
    return found.length > 0;
  }

  async end(name: string): Promise<void> {
    await this.database.execute('DELETE FROM rookery_sign_ins WHERE name = ?', [name]);
  }
}
