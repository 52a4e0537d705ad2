import { inEnvelope, type PageMessage } from '@crm/sdk/embed/protocol';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { HostLink } from './host-link.js';

const HOST = 'https://host.example';
const SECOND = 'https://second.example';
const TOKEN = 'aaaa.bbbb.cccc';

let posted: [PageMessage['type'], string][];
let happened: unknown[];
let link: HostLink;
beforeEach(() => {
  posted = [];
  happened = [];
  link = new HostLink([HOST, SECOND], {
    post: ({ type }, origin) => posted.push([type, origin]),
    onToken: (token) => happened.push(token),
    onTokenFailed: () => happened.push('failed'),
    onDestroyed: () => happened.push('destroyed'),
    onWishes: (wishes) => happened.push(wishes),
    onOtherVersion: (version) => happened.push(version),
  });
});

const token = inEnvelope({ type: 'token', token: TOKEN });

describe("the page's side", () => {
  it('announces itself to every allowed origin, of which the browser delivers to the one that is there', () => {
    link.start();
    const toAll = (type: string) => [HOST, SECOND].map((origin) => [type, origin]);
    expect(posted).toEqual([...toAll('ready'), ...toAll('token-wanted')]);
  });

  it('takes the first allowed origin that speaks for the host, and answers it alone', () => {
    expect(link.receive(true, SECOND, token)).toBe(true);
    link.askForToken('expiring');
    expect([happened, posted]).toEqual([[TOKEN], [['token-wanted', SECOND]]]);
    // Another allowed page in its place, after a navigation of the parent, is not the host of this page.
    expect(link.receive(true, HOST, token)).toBe(false);
    expect(happened).toEqual([TOKEN]);
  });

  it.each([
    ['of an origin that is not allowed', true, 'https://evil.example'],
    ['of an origin that begins like an allowed one', true, `${HOST}.evil.example`],
    ['of an opaque origin', true, 'null'],
    ['of another window of an allowed origin', false, HOST],
  ])('ignores a message %s', (_, isFromParent, origin) => {
    expect(link.receive(isFromParent, origin, token)).toBe(false);
    expect(happened).toEqual([]);
    link.askForToken('first');
    // Nobody was taken for the host.
    expect(posted.map(([, to]) => to)).toEqual([HOST, SECOND]);
  });

  it('takes nobody for the host because of a message that is not of the protocol', () => {
    expect(link.receive(true, HOST, { type: 'token', token: TOKEN })).toBe(false);
    expect(link.receive(true, SECOND, token)).toBe(true);
  });

  it('adds up what the host wishes', () => {
    link.receive(true, HOST, inEnvelope({ type: 'theme', theme: { radius: 2 } }));
    link.receive(true, HOST, inEnvelope({ type: 'locale', locale: 'de' }));
    link.receive(true, HOST, inEnvelope({ type: 'navigate', view: { object: 'tasks' } }));
    expect(happened.at(-1)).toEqual({ theme: { radius: 2 }, locale: 'de', view: { object: 'tasks' } });
  });

  it('reports a host that speaks another version', () => {
    link.receive(true, HOST, { ...token, version: 7 });
    expect(happened).toEqual([7]);
  });
});
