import { inEnvelope, PROTOCOL_VERSION } from '@crm/sdk/embed/protocol';
import type { Settings } from '../settings.js';
import { HostLink, type HostWishes } from './host-link.js';
import { Session } from './session.js';

/** The page's connection with the host: its token, and what the host wishes. */
export interface HostConnection {
  readonly session: Session;
  readonly link: HostLink;
  wishes(): HostWishes;
  subscribeWishes(listener: () => void): () => void;
}

/** @returns undefined when no page frames this one */
export function connectHost(window: Window, settings: Settings): HostConnection | undefined {
  if (window.parent === window) return undefined;
  // Where the browser says who the parent is, only that one is spoken to; else a message to each of the allowed origins
  // reaches the right one, and the browser warns of the others. Firefox says "null" for a frame with `no-referrer`.
  const named = window.location.ancestorOrigins?.item(0);
  const parent = named === 'null' ? undefined : named;
  const allowedOrigins = settings.allowedOrigins.filter((origin) => !parent || origin === parent);
  const listeners = new Set<() => void>();
  let wishes: HostWishes = { theme: {}, locale: undefined, view: undefined };
  const session = new Session((reason) => link.askForToken(reason));
  const link = new HostLink(allowedOrigins, {
    post: (message, origin) => window.parent.postMessage(inEnvelope(message), origin),
    onToken: (token) => session.receive(token),
    onTokenFailed: () => session.fail(),
    onDestroyed: () => session.destroy(),
    onWishes: (changed) => {
      wishes = changed;
      for (const listener of listeners) listener();
    },
    onOtherVersion: (version) => {
      const message = `The host speaks version ${version} of the protocol, the page ${PROTOCOL_VERSION}`;
      link.send({ type: 'error', code: 'unsupported', message });
    },
  });
  window.addEventListener('message', ({ source, origin, data }: MessageEvent) => {
    link.receive(source === window.parent, origin, data);
  });
  link.start();
  return {
    session,
    link,
    wishes: () => wishes,
    subscribeWishes: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
