/** A browser from which someone has signed in (decision record 0222). */
interface KnownDevice {
  /** SHA-256 of the address; null after a new password by mail, when only the API knows whose it is. */
  readonly account: string | null;
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

const NAME = 'crm-account-devices';
/** So many people share a browser, and no more are kept. */
const MOST = 10;
/** The API knows a device no longer. */
const LIFE_MS = 180 * 24 * 3600 * 1000;

interface Surroundings {
  readonly localStorage: Storage;
  /** Without `subtle` where a page has no cryptography: without https, but on the machine of a developer. */
  readonly crypto: { readonly subtle?: SubtleCrypto };
}

/**
 * By what this browser is known to accounts that have signed in in it, so that they get in while someone guesses at their
 * passwords. A token opens nothing. Addresses are not kept: anyone who looks into the storage does not read who signs in here.
 */
export function knownDevices(window: Surroundings, now: () => number = Date.now) {
  const kept = (): KnownDevice[] => read(window).filter(({ since }) => since <= now() && now() - since < LIFE_MS);
  const add = (account: string | null, token: string): void => {
    // What was kept for the next sign-in has had it.
    const others = kept().filter((known) => known.account !== account && known.account !== null);
    write(window, [{ account, token, since: now() }, ...others].slice(0, MOST));
  };
  return {
    /** By what this browser is known to the account of an address. */
    async tokenFor(email: string): Promise<string | undefined> {
      const account = await digest(window, email);
      // The last kept comes first: a new password ends what the account was known by before.
      return kept().find((known) => known.account === account || known.account === null)?.token;
    },
    /** @param token of a completed sign-in; without one nothing changes */
    async keep(email: string, token: string | undefined): Promise<void> {
      const account = await digest(window, email);
      if (token !== undefined && account !== undefined) add(account, token);
    },
    /** Keeps a token for anyone who signs in next, when the page does not know the address. */
    keepForNext: (token: string): void => add(null, token),
  };
}

async function digest({ crypto: { subtle } }: Surroundings, email: string): Promise<string | undefined> {
  if (!subtle) return undefined;
  const hash = await subtle.digest('SHA-256', new TextEncoder().encode(email.trim().toLowerCase()));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(hash)));
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function read(window: Surroundings): KnownDevice[] {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(NAME) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKnownDevice) : [];
  } catch (error) {
    if (isRefusal(error) || error instanceof SyntaxError) return [];
    throw error;
  }
}

function write(window: Surroundings, devices: readonly KnownDevice[]): void {
  try {
    window.localStorage.setItem(NAME, JSON.stringify(devices));
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

/** Browsers that keep nothing for pages, or have no space, say so by these: such a browser is a new one at each visit. */
const isRefusal = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'SecurityError' || error.name === 'QuotaExceededError');

function isKnownDevice(value: unknown): value is KnownDevice {
  const { account, token, since } = (value ?? {}) as Partial<KnownDevice>;
  return (account === null || typeof account === 'string') && typeof token === 'string' && typeof since === 'number';
}
