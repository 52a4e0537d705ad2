import { createSecureContext } from 'node:tls';
import { TLS_SETTINGS } from '@crm/contracts';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { buildConnector } from 'undici';
import { readAuthorities } from '../configuration/tls-config.js';
import { followFiles } from '../transport/served-certificate.js';
import { PROXY_CONFIG, type ProxyConfig, UPSTREAM_CA_VARIABLE } from './proxy-config.js';

type Connect = ReturnType<typeof buildConnector>;

/** Time after which a service that does not accept a connection counts as down. */
const CONNECT_TIMEOUT_MS = 2000;

/**
 * With `https:` the service must show a certificate for its name, by UPSTREAM_CA_FILE or else the system's authorities.
 * Nothing falls back to plain HTTP.
 */
@Injectable()
export class UpstreamConnector implements OnApplicationShutdown {
  private current: Connect;
  private readonly stopFollowing: (() => void) | undefined;

  constructor(@Inject(PROXY_CONFIG) { upstreams, upstreamCa }: Pick<ProxyConfig, 'upstreams' | 'upstreamCa'>) {
    if (!Object.values(upstreams).some((url) => new URL(url).protocol === 'https:')) {
      this.current = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
      return;
    }
    const read = upstreamCa && (() => readAuthorities(UPSTREAM_CA_VARIABLE, upstreamCa.file));
    const trusted = read?.();
    this.current = connectorTrusting(trusted);
    if (!read || trusted === undefined) return;
    const use = (authorities: string): void => {
      // With it go the sessions, which were begun under the old ones. Connections that are open go on.
      this.current = connectorTrusting(authorities);
    };
    const what = 'The authorities of the services';
    this.stopFollowing = followFiles({ what, read, use, everyMs: upstreamCa.everyMs }, trusted);
  }

  readonly connect: Connect = (options, callback) => this.current(options, callback);

  onApplicationShutdown(): void {
    this.stopFollowing?.();
  }
}

function connectorTrusting(authorities: string | undefined): Connect {
  // Made once: making it from the PEM costs more than a handshake.
  const secureContext = createSecureContext({ ...TLS_SETTINGS, ...(authorities !== undefined && { ca: authorities }) });
  // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
  return buildConnector({ timeout: CONNECT_TIMEOUT_MS, secureContext, rejectUnauthorized: true });
}
