import { dataOf, defineEvents } from '@rookery/client/events';

export const events = defineEvents({
  'orders.{id}': { shipped: dataOf<{ readonly carrier: string; readonly at: Date }>() },
  'presence-room.{name}': { 'client-typing': dataOf<boolean>(), topic: dataOf<string>() },
});
