import type { HostPort } from '@crm/address-policy';

/**
 * Parses the list of hosts and ports that a development machine may call regardless of the policy.
 *
 * @param text `host:port` entries separated by commas or spaces, IPv6 addresses in brackets
 * @throws Error naming the first entry that is not `host:port`
 */
export function parseEgressAllow(text: string | undefined): HostPort[] {
  const entries = (text ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map((entry) => {
    const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/.exec(entry);
    const port = Number(match?.[3]);
    const host = match?.[1] ?? match?.[2];
    if (host === undefined || port < 1 || port > 65_535) {
      throw new Error(`EGRESS_ALLOW: "${entry}" is not host:port`);
    }
    return { host, port };
  });
}

/** The settings that widen the policy, as read by a service's configuration. */
export interface EgressExceptionSettings {
  profile: string;
  /** The text of EGRESS_ALLOW. */
  allow?: string | undefined;
  /** The text of EGRESS_CA_FILE. */
  caFile?: string | undefined;
}

/**
 * Stops the start of a production process whose environment widens the egress policy.
 *
 * @throws Error when the profile is `production` and either value is set
 */
export function assertNoEgressExceptionsInProduction(settings: EgressExceptionSettings): void {
  if (settings.profile !== 'production') return;
  const set = [
    ['EGRESS_ALLOW', settings.allow],
    ['EGRESS_CA_FILE', settings.caFile],
  ].filter(([, value]) => value !== undefined && value.trim() !== '');
  if (set.length > 0) {
    throw new Error(`${set.map(([name]) => name).join(' and ')} must not be set in the production profile`);
  }
}
