import { NOTICES } from '@crm/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { NatsConnection as Connection } from '@nats-io/nats-core';
import { Logger } from '@nestjs/common';
import { type NatsConnection, Notices } from '../src/index.js';
import { type Broker, startBroker, until } from './fixture.js';

const NOTICE = NOTICES.receiversChanged;
const HEARD = { tenantId: 'heard' };

describe('notices', () => {
  let broker: Broker;
  let sender: NatsConnection;
  let listening: NatsConnection;
  let plain: Connection;
  let endings: (() => void)[] = [];

  beforeAll(async () => {
    broker = await startBroker();
    sender = await broker.service('webhook-dispatcher');
    listening = await broker.service('webhook-dispatcher');
    plain = await broker.user('webhook-dispatcher');
  });
  afterEach(() => {
    for (const end of endings) end();
    endings = [];
    jest.restoreAllMocks();
  });
  afterAll(() => broker.stop());

  /** What a listener gets, in the process of the connection. */
  const listen = async (connection: NatsConnection) => {
    const heard = { notices: [] as unknown[], gaps: 0 };
    const end = new Notices(connection).listen(NOTICE, {
      onNotice: (payload) => heard.notices.push(payload),
      onGap: () => {
        heard.gaps += 1;
      },
    });
    endings.push(end);
    // The server knows the subscription when it answers.
    await connection.flush();
    return { heard, end };
  };

  it('reach every process that listens, the sender too, in the order in which they were sent', async () => {
    const { heard: here } = await listen(sender);
    const { heard: there } = await listen(listening);
    const sent = [{ tenantId: 'a' }, { appKey: 'b' }, { tenantId: 'c' }];
    for (const payload of sent) await new Notices(sender).send(NOTICE, payload);
    await until(() => here.notices.length >= 3 && there.notices.length >= 3, 'both have heard');
    expect([here.notices, there.notices]).toEqual([sent, sent]);
  });

  it('have been passed on when they are sent: what a listener is told afterwards comes later', async () => {
    const order: string[] = [];
    const { heard } = await listen(listening);
    const later = plain.subscribe(NOTICE.subject, { callback: (_error, message) => void order.push(message.string()) });
    await plain.flush();
    await new Notices(sender).send(NOTICE, { tenantId: 'first' });
    plain.publish(NOTICE.subject, JSON.stringify({ tenantId: 'second' }));
    await until(() => order.length === 2 && heard.notices.length === 2, 'both have arrived');
    later.unsubscribe();
    expect(heard.notices).toEqual([{ tenantId: 'first' }, { tenantId: 'second' }]);
    expect(order.map((text) => JSON.parse(text))).toEqual(heard.notices);
  });

  it.each([
    ['is not JSON', '{broken', 'is not JSON'],
    ['is empty', '', 'is not JSON'],
    ['lacks what it must say', '{"other":1}', 'is invalid'],
    ['says it in another type', '{"tenantId":1}', 'is invalid'],
  ])('are ignored and logged when the payload %s', async (_what, payload, logged) => {
    const errors = jest.spyOn(Logger.prototype, 'error');
    const { heard } = await listen(listening);
    plain.publish(NOTICE.subject, payload);
    plain.publish(NOTICE.subject, JSON.stringify(HEARD));
    await until(() => heard.notices.length > 0, 'the next one is heard');
    expect(heard.notices).toEqual([HEARD]);
    const messages = errors.mock.calls.map(([entry]) => (entry as { msg: string }).msg);
    expect(messages).toContainEqual(expect.stringContaining(`${NOTICE.subject} ${logged}`));
  });

  it('are not heard after the listener has ended', async () => {
    const { heard, end } = await listen(listening);
    const { heard: witness } = await listen(listening);
    end();
    await new Notices(sender).send(NOTICE, HEARD);
    await until(() => witness.notices.length > 0, 'another listener has heard');
    expect(heard.notices).toEqual([]);
  });

  it('may be missed while the connection is lost: the listener is told when it is back, and hears again', async () => {
    const { heard } = await listen(listening);
    const { heard: ended, end } = await listen(listening);
    end();
    broker.proxy.cut();
    plain.publish(NOTICE.subject, JSON.stringify({ tenantId: 'missed' }));
    await plain.flush();
    await expect(new Notices(sender).send(NOTICE, HEARD)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(heard).toEqual({ notices: [], gaps: 0 });
    broker.proxy.mend();
    await until(() => heard.gaps > 0, 'the listener is told', 20_000);
    const hearsAgain = async () => {
      plain.publish(NOTICE.subject, JSON.stringify(HEARD));
      await plain.flush();
      return heard.notices.length > 0;
    };
    await until(hearsAgain, 'it hears again', 20_000);
    expect(heard.gaps).toBe(1);
    expect(heard.notices).not.toContainEqual({ tenantId: 'missed' });
    expect(ended).toEqual({ notices: [], gaps: 0 });
  }, 60_000);
});
