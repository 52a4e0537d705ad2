import { Database } from '@crm/database';
import { verifyWebhook, type WebhookVerificationError } from '@crm/sdk';
import type { ReceivedRequest, TestService } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { FanOutService } from '../src/delivery/fan-out.service.js';
import { publicKeyOf } from '../src/subscriptions/signature.js';
import { SigningSecretService } from '../src/subscriptions/signing-secret.service.js';
import { Subscription } from '../src/subscriptions/subscription.entity.js';
import { envelope, useWebhooks } from './webhook-service.js';

const PUBLIC_KEY = /^whpk_[A-Za-z0-9+/]{43}=$/;

describe('signatures of deliveries', () => {
  const { app, tenant } = useWebhooks();

  const call = <Body = Record<string, unknown>>(method: string, path: string, token = tenant.admin) =>
    app.service.request<Body>(method, `/api/webhooks/subscriptions${path}`, { token });

  /** A real delivery of a new event, fanned out and sent by one process. */
  const delivered = async (by: TestService = app.service): Promise<ReceivedRequest> => {
    const event = envelope(tenant.id, 'lead.created', { id: tenant.id, version: 1, lastName: 'Doe' });
    await by.get(FanOutService).handle(event, { isRepeated: false });
    return app.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id);
  };

  const verdict = ({ body, headers }: ReceivedRequest, secret: string): string => {
    try {
      return verifyWebhook(body, headers, secret).type;
    } catch (error) {
      return (error as WebhookVerificationError).reason;
    }
  };

  describe('by Ed25519', () => {
    it('are verified with the public key that the answer, the subscription and the list show', async () => {
      const { id, publicKey, ...created } = await app.subscribe(tenant.admin, { signature: 'v1a' });
      expect(publicKey).toMatch(PUBLIC_KEY);
      expect(created).toMatchObject({ status: 201, signature: 'v1a' });
      expect(created).not.toHaveProperty('secret');
      const { body: shown } = await call('GET', `/${id}`);
      expect(shown).toMatchObject({ signature: 'v1a', publicKey });
      expect((await call('GET', '')).body.data).toEqual([shown]);

      const request = await delivered();
      expect(verdict(request, publicKey as string)).toBe('lead.created');
      expect(verdict({ ...request, body: request.body.replace('Doe', 'Eve') }, publicKey as string)).toBe(
        'no_matching_signature',
      );
      const other = await app.subscribe(tenant.admin, { signature: 'v1a' });
      expect(verdict(request, other.publicKey as string)).toBe('no_matching_signature');
      expect(request.headers['webhook-signature']).toMatch(/^v1a,\S+$/);
      expect(request.headers).not.toHaveProperty('x-platform-signature');
    });

    it('are made with a private key that is stored sealed and never shown', async () => {
      const { id, ...created } = await app.subscribe(tenant.admin, { signature: 'v1a' });
      const { secret } = await app.service
        .get(Database)
        .transaction(tenant.id, (tx) =>
          tx
            .repository(Subscription)
            .findOneOrFail({ where: { tenantId: tenant.id, id }, select: { id: true, secret: true } }),
        );
      expect(secret?.toString('latin1')).not.toContain('whsk_');
      const opened = app.service.get(SigningSecretService).open(secret as Buffer, { subscriptionId: id });
      expect(publicKeyOf(opened)).toBe(created.publicKey);
      const answers = [created, (await call('GET', `/${id}`)).body, (await call('POST', `/${id}/rotate-secret`)).body];
      expect(JSON.stringify(answers)).not.toMatch(/whsk_|whsec_|"secret"/);
    });

    it('are made with both keys after a rotation, which answers the new public key', async () => {
      const { id, publicKey: old } = await app.subscribe(tenant.admin, { signature: 'v1a' });
      const rotated = await call<{ publicKey: string }>('POST', `/${id}/rotate-secret`);
      expect([rotated.status, Object.keys(rotated.body)]).toEqual([201, ['publicKey']]);
      expect(rotated.body.publicKey).toMatch(PUBLIC_KEY);
      expect(rotated.body.publicKey).not.toBe(old);
      expect((await call('GET', `/${id}`)).body).toMatchObject({ publicKey: rotated.body.publicKey });
      const request = await delivered();
      expect(request.headers['webhook-signature']?.split(' ')).toHaveLength(2);
      expect([old, rotated.body.publicKey].map((key) => verdict(request, key as string))).toEqual([
        'lead.created',
        'lead.created',
      ]);
    });
  });

  it('are by HMAC when nothing is chosen', async () => {
    const { id, secret } = await app.subscribe(tenant.admin);
    expect((await call('GET', `/${id}`)).body).toMatchObject({ signature: 'v1', publicKey: null });
    const rotated = await call<{ secret: string }>('POST', `/${id}/rotate-secret`);
    expect(Object.keys(rotated.body)).toEqual(['secret']);
    const request = await delivered();
    expect([secret, rotated.body.secret].map((one) => verdict(request, one))).toEqual(['lead.created', 'lead.created']);
  });

  it.each(['v2', null, ['v1a']])('are not by %j', async (signature) => {
    const answer = await app.subscribe(tenant.admin, { signature });
    expect([answer.status, answer.code]).toEqual([422, 'VALIDATION_FAILED']);
  });

  describe('with a revoked secret', () => {
    it.each(['v1', 'v1a'])('are made by no process from the answer on (%s)', async (signature) => {
      const sibling = await app.startSibling();
      const { id, secret, publicKey } = await app.subscribe(tenant.admin, { signature });
      const old = publicKey ?? secret;
      const { body } = await call<{ secret?: string; publicKey?: string }>('POST', `/${id}/rotate-secret`);
      const current = (body.publicKey ?? body.secret) as string;
      // Both processes have the receivers in memory, with both secrets.
      for (const process of [app.service, sibling]) {
        expect(verdict(await delivered(process), old)).toBe('lead.created');
      }
      expect((await call('POST', `/${id}/revoke-previous-secret`)).status).toBe(204);
      for (const process of [app.service, sibling]) {
        const request = await delivered(process);
        expect([old, current].map((one) => verdict(request, one))).toEqual(['no_matching_signature', 'lead.created']);
      }
      await sibling.close();
    });

    it('need no previous secret, and the current one stays', async () => {
      const { id, secret } = await app.subscribe(tenant.admin);
      expect((await call('POST', `/${id}/revoke-previous-secret`)).status).toBe(204);
      expect((await call('POST', `/${id}/revoke-previous-secret`)).status).toBe(204);
      expect(verdict(await delivered(), secret)).toBe('lead.created');
    });

    it('are those of subscriptions that the workspace created', async () => {
      const { id } = await app.subscribe(tenant.admin);
      const [ofApp] = await app.provision(tenant.id, { installationId: tenant.id });
      const stranger = await app.tenant();
      const answers = [
        await call('POST', `/${ofApp?.id}/revoke-previous-secret`),
        await call('POST', `/${ofApp?.id}/rotate-secret`),
        await call('POST', `/${tenant.id}/revoke-previous-secret`),
        await call('POST', `/${id}/revoke-previous-secret`, stranger.admin),
        await call('POST', `/${id}/revoke-previous-secret`, tenant.member),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [404, 'NOT_FOUND'],
        [404, 'NOT_FOUND'],
        [404, 'NOT_FOUND'],
        [404, 'NOT_FOUND'],
        [403, 'FORBIDDEN'],
      ]);
    });
  });
});
