import PushNotifications from '@pusher/push-notifications-server';
import { Controller, Get, Req, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceTokens, PushDeviceModule } from 'rookery/push-device';
import { createHost, listen } from '../support/embedding-host.js';
import { instance, otherInstance } from '../support/push-app.js';

/** Stands for the login of a host. */
class LoginGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest();
    request.user = request.headers['x-session'];
    return request.user !== undefined;
  }
}

@Controller('beams-auth')
class BeamsAuthController {
  constructor(private readonly tokens: DeviceTokens) {}

  @Get()
  @UseGuards(LoginGuard)
  token(@Req() { user }: { readonly user: string }) {
    return this.tokens.issue(instance.id, user);
  }
}

let url: string;
let tokens: DeviceTokens;
let close: () => Promise<void>;
beforeAll(async () => {
  const { app } = await createHost({
    imports: [PushDeviceModule.forRoot({ instances: [instance, otherInstance] })],
    controllers: [BeamsAuthController],
  });
  ({ url } = await listen(app));
  tokens = app.get(DeviceTokens);
  close = () => app.close();
});
afterAll(() => close());

const devices = `/device_api/v1/instances/${instance.id}/devices/fcm`;

async function newDevice(): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url + devices, { method: 'POST', headers, body: '{"token":"of a phone"}' });
  return `${url}${devices}/${((await answer.json()) as { id: string }).id}`;
}
const setUser = (device: string, token: string) =>
  fetch(`${device}/user`, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });

describe('the Beams token of the signed-in user', () => {
  it('comes from a route of the host, and makes the device theirs', async () => {
    const answer = await fetch(`${url}/beams-auth`, { headers: { 'x-session': 'alice' } });
    const { token } = (await answer.json()) as { token: string };
    const device = await newDevice();
    expect((await setUser(device, token)).status).toBe(200);
    expect(await (await fetch(device)).json()).toMatchObject({ userId: 'alice' });
  });

  it("has the claims of the server SDK's token", async () => {
    const { token } = await tokens.issue(instance.id.toUpperCase(), 'alice');
    const sdk = new PushNotifications({ instanceId: instance.id, secretKey: instance.secretKey });
    const theirs = sdk.generateToken('alice').token;
    expect(decodeProtectedHeader(token)).toEqual(decodeProtectedHeader(theirs));
    const [ours, expected] = [decodeJwt(token), decodeJwt(theirs)];
    expect(Object.keys(ours).sort()).toEqual(Object.keys(expected).sort());
    expect(ours).toMatchObject({ sub: expected.sub, iss: expected.iss });
    expect(ours.exp! - ours.iat!).toBe(86_400);
  });

  it('has the lifetime that the host sets', async () => {
    const { exp, iat } = decodeJwt((await tokens.issue(instance.id, 'alice', 600)).token);
    expect(exp! - iat!).toBe(600);
  });

  it('is invalid at another instance', async () => {
    const { token } = await tokens.issue(otherInstance.id, 'alice');
    expect((await setUser(await newDevice(), token)).status).toBe(403);
  });

  it.each([
    ['an unknown instance', '99999999-2222-4333-8444-555555555555', 'alice', { status: 404 }],
    ['no user', instance.id, '', { status: 400 }],
    ['a user id of 165 characters', instance.id, 'x'.repeat(165), { status: 400 }],
  ])('is not issued for %s', async (_what, instanceId, userId, refused) => {
    await expect(tokens.issue(instanceId, userId)).rejects.toMatchObject(refused);
  });

  it.each([0, 1.5, Number.NaN])('is not issued for %s seconds', async (lifeSeconds) => {
    await expect(tokens.issue(instance.id, 'alice', lifeSeconds)).rejects.toThrow(RangeError);
  });
});
