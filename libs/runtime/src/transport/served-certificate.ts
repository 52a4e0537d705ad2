import type { Server } from 'node:tls';
import { TLS_SETTINGS } from '@crm/contracts';
import { absentUntilSet, gauge } from '@crm/telemetry';
import { Logger } from '@nestjs/common';
import { expiryOf, type KeyPair, type KeyPairFiles, readKeyPair } from '../configuration/tls-config.js';

const certificateExpiry = absentUntilSet(
  gauge(
    'tls_certificate_expires_at_seconds',
    'Unix time at which the certificate expires that this process presents; absent where it speaks plain HTTP',
  ),
);

/**
 * How often files are looked at. Kubernetes takes up to a minute to bring a new certificate to a container, and those who renew
 * one do so days before the old one ends.
 */
const LOOK_EVERY_MS = 30_000;

export interface FollowedFiles<T> {
  /** For the log: `the certificate of this service`. */
  readonly what: string;
  /** @throws when the files cannot be used as they are */
  read(): T;
  /** Takes what was read into use. */
  use(value: T): void;
  readonly everyMs?: number | undefined;
}

/**
 * Takes new contents of files into use while the process runs. What is there but cannot be used, such as a certificate whose key
 * is still being written, is reported once, and the process goes on with what it has.
 *
 * They are read again and again instead of being watched: in Kubernetes a link above them is exchanged, of which a watcher of the
 * files hears nothing.
 * @param current what is in use now
 * @returns ends it
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
  /** The first one, for the server that is about to listen. */
  readonly first: KeyPair;

  /** @throws UnusableSecretFile */
  constructor(private readonly files: KeyPairFiles) {
    this.first = readKeyPair(files);
    certificateExpiry.set(expiryOf(this.first).getTime() / 1000);
  }

  /**
   * Presents new ones to new connections; those that are open go on.
   * @returns ends it
   */
  renew(server: Server, everyMs?: number): () => void {
    const use = (pair: KeyPair): void => {
      server.setSecureContext({ ...TLS_SETTINGS, ...pair });
      certificateExpiry.set(expiryOf(pair).getTime() / 1000);
    };
    const what = 'The certificate of this service';
    return followFiles({ what, read: () => readKeyPair(this.files), use, everyMs }, this.first);
  }
}
