import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type App, validSecretsOf } from 'rookery/internal/channels';
import { base64urlBytes } from '#common';
import { PathPrefixes } from '#http';
import { invalidLink } from './notifications.errors.js';
import type { NotifyingApp } from './notifying-apps.js';

const [idBytes, timeBytes, signatureBytes] = [16, 6, 32];

/** Links by which a page reports that its user has read a notification, without the app's secret. */
@Injectable()
export class ReadLinks {
  constructor(private readonly prefixes: PathPrefixes) {}

  /** `/apps/<app_id>/notifications/read?token=…`, after the app's `publicUrl`. */
  linkOf(app: App, { publicUrl = '', linkSeconds }: NotifyingApp, id: string, now: number): string {
    const token = tokenFor(app, id, now + linkSeconds * 1000);
    const path = `${this.prefixes.base}/apps/${encodeURIComponent(app.id)}/notifications/read`;
    return `${publicUrl.replace(/\/+$/, '')}${path}?token=${token}`;
  }
}

/** A token contains its notification and expiry, signed for the app; it stays valid while its secret does. */
export function tokenFor(app: App, id: string, expiresAt: number): string {
  const content = Buffer.alloc(idBytes + timeBytes);
  content.write(id.replaceAll('-', ''), 'hex');
  content.writeUIntBE(Math.floor(expiresAt), idBytes, timeBytes);
  return Buffer.concat([content, signatureOf(app.id, app.secret, content)]).toString('base64url');
}

/**
 * @returns the id of the token's notification
 * @throws ChannelsApiError 401 if it is not from this app, or has expired
 */
export function idIn(app: App, token: unknown, now: number): string {
  const bytes = base64urlBytes(token, idBytes + timeBytes + signatureBytes);
  if (!bytes) throw invalidLink();
  const content = bytes.subarray(0, idBytes + timeBytes);
  const signature = bytes.subarray(content.length);
  const isSigned = validSecretsOf(app).some((secret) =>
    timingSafeEqual(signature, signatureOf(app.id, secret, content)),
  );
  if (!isSigned) throw invalidLink();
  if (content.readUIntBE(idBytes, timeBytes) <= now) throw invalidLink();
  return content.toString('hex', 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The prefix is unique among the texts signed with the secret. */
const signatureOf = (appId: string, secret: string, content: Buffer): Buffer =>
  createHmac('sha256', secret).update(`notification read\n${appId}\n`).update(content).digest();
