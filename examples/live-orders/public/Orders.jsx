import { useState } from 'react';
import { useChannelState } from '@rookery/client/react';

/** The orders of a customer, or all of them for the bakery. */
export function Orders({ user }) {
  const isBakery = user === 'bakery';
  const [refusal, setRefusal] = useState('');
  // The server reads the orders once this page listens, with each connection; each event replaces one of them.
  const orders = useChannelState(isBakery ? 'private-bakery' : `private-customer.${user}`, {
    order: (before, order) => [order, ...before.filter(({ id }) => id !== order.id)].sort((a, b) => b.id - a.id),
  });

  async function post(path, body = {}) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${user}` };
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    setRefusal(response.ok ? '' : (await response.json()).message);
  }

  return (
    <>
      {!isBakery && (
        <div id="products">
          <button onClick={() => void post('/orders', { product: 'bread' })}>Order bread</button>
          <button onClick={() => void post('/orders', { product: 'cake' })}>Order the last cake</button>
        </div>
      )}
      {orders?.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Order</th>
              <th>For</th>
              <th>What</th>
              <th>State</th>
              {isBakery && <td></td>}
            </tr>
          </thead>
          <tbody>
            {orders.map(({ id, customer, product, state }) => (
              // A new key begins the animation again.
              <tr key={`${id} ${state}`}>
                <td>{id}</td>
                <td>{customer}</td>
                <td>{product}</td>
                <td>{state}</td>
                {isBakery && (
                  <td>
                    {state !== 'on its way' && <button onClick={() => void post(`/orders/${id}/advance`)}>Next</button>}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {orders?.length === 0 && (
        <p>
          {isBakery ? 'No orders yet. Order as Alice or Bob, in another tab.' : 'You have no orders yet. Order bread.'}
        </p>
      )}
      <p role="status">{refusal}</p>
    </>
  );
}
