/** Sample data. */
export const templates: Readonly<Record<string, { readonly name: string; readonly data: string }>> = {
  'Hello world': { name: 'my-event', data: '{\n  "hello": "world"\n}' },
  'Chat message': {
    name: 'message',
    data: '{\n  "id": 1,\n  "from": { "id": "alice", "name": "Alice" },\n  "text": "Is anybody there?"\n}',
  },
  'Order changed': {
    name: 'order.updated',
    data: '{\n  "orderId": 1042,\n  "status": "shipped",\n  "items": [{ "sku": "A-7", "count": 2 }]\n}',
  },
  'Plain text': { name: 'notice', data: 'We are back at ten.' },
  Nothing: { name: 'refresh', data: '{}' },
};
