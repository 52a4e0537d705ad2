import type { Server } from 'node:tls';
import { TLS_SETTINGS } from '@crm/contracts';
import { expiryOf, type KeyPair, type KeyPairFiles, readKeyPair } from '../configuration/key-pair.js';
import { certificateExpiry } from './certificate-metrics.js';
import { followFiles } from './followed-files.js';

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
