/** Requests a minute. */
export interface Limits {
  /** Of all principals of a tenant together. */
  readonly tenant: number;
  /** Of one user, app or embedded user. */
  readonly principal: number;
  /** From one address without a token. */
  readonly address: number;
  /** To one presented hook id. */
  readonly hook: number;
  /** To any hooks from one address. */
  readonly hookAddress: number;
}

export type LimitName = keyof Limits;

export const WINDOW_SECONDS = 60;

/** An address as the key of a limit: an IPv6 customer has a whole /64 to choose addresses from. */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::', 2);
  const before = head.split(':').filter(Boolean);
  const after = tail.split(':').filter(Boolean);
  const zeros = address.includes('::') ? Math.max(0, 8 - before.length - after.length) : 0;
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** Whether the request came from this machine. */
export const isLoopback = (address: string): boolean => /^(127\.|::1$|::ffff:127\.)/i.test(address);
