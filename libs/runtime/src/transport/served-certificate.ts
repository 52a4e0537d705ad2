import type { Server } from 'node:tls';
import { TLS_SETTINGS } from '@crm/contracts';
import type { ServedKeyPair } from '@crm/http';
import { absentUntilSet, gauge } from '@crm/telemetry';
import { Logger } from '@nestjs/common';
import { expiryOf, type KeyPairFiles, readKeyPair } from '../configuration/tls-config.js';

const certificateExpiry = absentUntilSet(
  gauge(
    'tls_certificate_expires_at_seconds',
    'Unix time at which the certificate expires that this process presents; absent where it speaks plain HTTP',
  ),
);

/** Kubernetes brings a new certificate within a minute, and certificates are renewed days before their end. */
const LOOK_EVERY_MS = 30_000;

export interface FollowedFiles<T> {
  /** For the log: `the certificate of this service`. */
  readonly what: string;
  /** @throws when the files cannot be used as they are */
  read(): T;
  use(value: T): void;
  readonly everyMs?: number | undefined;
}

/**
 * What cannot be used, such as a certificate whose key is still being written, is reported once, and the old one stays.
 * Read again instead of watched: Kubernetes exchanges a link above the files, which a watcher does not see.
 */
export function followFiles<T>(files: FollowedFiles<T>, current: T): () => void {
  const logger = new Logger('Transport');
  let used = JSON.stringify(current);
  let reported: string | undefined;
  const look = (): void => {
    try {
      const value = files.read();
      const text = JSON.stringify(value);
      if (text !== used) {
        files.use(value);
        used = text;
        logger.log({ msg: `${files.what} has changed, and the new one is in use` });
      }
      reported = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== reported) {
        logger.error({ msg: `${files.what} has changed and cannot be used; the old one stays in use`, err: error });
      }
      reported = message;
    }
  };
  const timer = setInterval(look, files.everyMs ?? LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The certificate that this process presents, and each one that takes its place while it runs. */
export class ServedCertificate {
  readonly first: ServedKeyPair;

  /** @throws UnusableSecretFile */
  constructor(private readonly files: KeyPairFiles) {
    this.first = readKeyPair(files);
    certificateExpiry.set(expiryOf(this.first).getTime() / 1000);
  }

  /** Presents new ones to new connections; open ones go on. @returns ends it */
  renew(server: Server, everyMs?: number): () => void {
    const use = (pair: ServedKeyPair): void => {
      server.setSecureContext({ ...TLS_SETTINGS, ...pair });
      certificateExpiry.set(expiryOf(pair).getTime() / 1000);
    };
    const what = 'The certificate of this service';
    return followFiles({ what, read: () => readKeyPair(this.files), use, everyMs }, this.first);
  }
}
