import { Injectable } from '@nestjs/common';
import { isObject } from '#common';
import type { App } from '../../app/app.js';
import { badRequest } from '../../channels.errors.js';
import type { CheckedEvent, RequestFields } from '../../events/trigger-request.js';
import type { TriggerStep } from '../../events/trigger-step.js';
import { askFor, dataWithoutReceipt, dataWithReceipt, receiptIn } from './receipt-text.js';
import { newReceipt } from './receipt-names.js';

/** Names the events whose servers want receipts, in their data and in the answer, and has clients asked for them. */
@Injectable()
export class ReceiptsStep implements TriggerStep {
  readonly attributes = ['receipts'];

  checkFields({ receipts = false }: RequestFields): void {
    if (typeof receipts !== 'boolean') throw badRequest('receipts must be true or false');
  }

  prepare(app: App, event: CheckedEvent): CheckedEvent {
    const { channels, name, data, info, given } = event;
    if (given['receipts'] !== true && !info.includes('receipts')) return withoutReceipt(event);
    const [channel] = channels;
    if (!channel || channels.length > 1)
      throw badRequest('An event with receipts can be triggered on one channel only');
    if (channel.access === 'public')
      throw badRequest('Receipts are of users: they need a private or presence channel, or a user');
    if (name.startsWith('client-')) throw badRequest('An event with receipts cannot have the name of a client event');
    if (!isObject(parsed(data))) throw badRequest('The data of an event with receipts must be a JSON object');
    const receipts = newReceipt(app, channel.name, Date.now());
    return {
      ...event,
      data: dataWithReceipt(data, receipts),
      asks: askFor(receipts),
      ...(info.includes('receipts') && { attributes: { receipts } }),
    };
  }

  asks(data: string): string | undefined {
    const receipt = receiptIn(data);
    return receipt === undefined ? undefined : askFor(receipt);
  }
}

function withoutReceipt(event: CheckedEvent): CheckedEvent {
  const data = dataWithoutReceipt(event.data);
  return data === event.data ? event : { ...event, data };
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
