import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { encode } from 'cborg';

export type Algorithm = 'ES256' | 'EdDSA' | 'RS256';

/** What a test makes wrong, in place of what an honest browser and authenticator send. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  userVerified?: boolean;
  userPresent?: boolean;
  counter?: number;
  crossOrigin?: boolean;
  type?: string;
  userHandle?: string;
  credentialId?: Buffer;
  /** `self`: signed by the new key, with the format `packed`. */
  attestation?: { fmt: string; attStmt: unknown } | 'self';
}

interface CreationOptions {
  rp: { id: string };
  user: { id: string };
  challenge: string;
  pubKeyCredParams: { alg: number }[];
  excludeCredentials: { id: string }[];
}

interface RequestOptions {
  rpId: string;
  challenge: string;
}

/** Flags of authenticator data (WebAuthn, 6.1). */
const FLAG = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40 };

const COSE_ALGORITHM: Readonly<Record<Algorithm, number>> = { ES256: -7, EdDSA: -8, RS256: -257 };

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/**
 * An authenticator and the browser in front of it, with one discoverable passkey: what `navigator.credentials` gives with
 * `toJSON()`, in the bytes of WebAuthn, without any of the code that checks them.
 */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(16);
  /** What was kept of the account at the registration. */
  userHandle = '';
  /** The number of signatures; 0 stays 0 for a device that does not count. */
  counter: number;
  backedUp: boolean;
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject;

  constructor(
    /** Where the page is that the browser shows. */
    readonly origin: string,
    readonly algorithm: Algorithm = 'ES256',
    { counts = true, backedUp = false }: { counts?: boolean; backedUp?: boolean } = {},
  ) {
    this.counter = counts ? 1 : 0;
    this.backedUp = backedUp;
    const pair =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : algorithm === 'EdDSA'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('rsa', { modulusLength: 2048 });
    this.privateKey = pair.privateKey;
    this.publicKey = pair.publicKey;
  }

  /** Sets the passkey up: `navigator.credentials.create()`. */
  create(options: object, deviation: Deviation = {}): Record<string, unknown> {
    const { rp, user, challenge } = options as CreationOptions;
    this.userHandle = user.id;
    const id = deviation.credentialId ?? this.credentialId;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, encode(this.coseKey())]);
    const authData = Buffer.concat([
      this.head(deviation.rpId ?? rp.id, FLAG.attested, deviation.counter ?? this.counter, deviation),
      attested,
    ]);
    const clientData = this.clientData('webauthn.create', challenge, deviation);
    const sig = this.sign(Buffer.concat([authData, sha256(clientData)]));
    const self = { fmt: 'packed', attStmt: { alg: COSE_ALGORITHM[this.algorithm], sig } };
    const { attestation = { fmt: 'none', attStmt: {} } } = deviation;
    const { fmt, attStmt } = attestation === 'self' ? self : attestation;
    return {
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: { credProps: { rk: true } },
      response: {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: Buffer.from(encode({ fmt, attStmt, authData })).toString('base64url'),
        transports: ['internal', 'hybrid'],
        publicKeyAlgorithm: COSE_ALGORITHM[this.algorithm],
      },
    };
  }

  /** Uses the passkey: `navigator.credentials.get()`. */
  get(options: object, deviation: Deviation = {}): Record<string, unknown> {
    const { rpId, challenge } = options as RequestOptions;
    if (this.counter > 0) this.counter += 1;
    const authData = this.head(deviation.rpId ?? rpId, 0, deviation.counter ?? this.counter, deviation);
    const clientData = this.clientData('webauthn.get', challenge, deviation);
    const id = (deviation.credentialId ?? this.credentialId).toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: this.sign(Buffer.concat([authData, sha256(clientData)])).toString('base64url'),
        userHandle: deviation.userHandle ?? this.userHandle,
      },
    };
  }

  private clientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const { origin = this.origin, crossOrigin = false } = deviation;
    const challenged = { type: deviation.type ?? type, challenge: deviation.challenge ?? challenge };
    return Buffer.from(JSON.stringify({ ...challenged, origin, crossOrigin }));
  }

  private head(rpId: string, flags: number, counter: number, { userVerified = true, userPresent = true }: Deviation) {
    const all =
      flags |
      (userPresent ? FLAG.present : 0) |
      (userVerified ? FLAG.verified : 0) |
      (this.backedUp ? FLAG.eligible | FLAG.backedUp : 0);
    const tail = Buffer.alloc(5);
    tail.writeUInt8(all, 0);
    tail.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(rpId), tail]);
  }

  /** The public key in COSE (RFC 9052, RFC 9053, RFC 8230). */
  private coseKey(): Map<number, unknown> {
    const jwk = this.publicKey.export({ format: 'jwk' });
    const bytes = (member: 'x' | 'y' | 'n' | 'e') => Buffer.from(String(jwk[member]), 'base64url');
    const members: Readonly<Record<Algorithm, Record<string, unknown>>> = {
      ES256: { '1': 2, '-1': 1, '-2': bytes('x'), '-3': bytes('y') },
      EdDSA: { '1': 1, '-1': 6, '-2': bytes('x') },
      RS256: { '1': 3, '-1': bytes('n'), '-2': bytes('e') },
    };
    const labelled = Object.entries(members[this.algorithm]).map(([label, value]) => [Number(label), value] as const);
    return new Map<number, unknown>([...labelled, [3, COSE_ALGORITHM[this.algorithm]]]);
  }

  private sign(data: Buffer): Buffer {
    return sign(this.algorithm === 'EdDSA' ? null : 'sha256', data, this.privateKey);
  }
}
