import { isAddress } from '@crm/address-policy';
import type { Check } from '../check.js';
import { MAX_HOSTS, urlsByHost } from '../outbound-urls.js';

export const NET_003: Check = {
  id: 'NET-003',
  title: 'Every host name resolves at present',
  severity: 'advice',
  doc: {
    why: 'A name that does not resolve at present is often misspelt. The package can still pass, since every call looks up the name again.',
    fix: 'Check the spelling, or create the DNS entry before tenants install the app.',
  },
  async run(context) {
    if (!context.probes.resolveHost) return { skip: 'Only the marketplace looks up host names.' };
    const hosts = [...urlsByHost(context.manifest, context.addressPolicy)].slice(0, MAX_HOSTS);
    const outcomes = await Promise.all(
      hosts.map(async ([host, urls]) => {
        // An address needs no lookup.
        const answers = isAddress(host) ? [host] : await context.resolveHost(host);
        return answers?.length === 0
          ? urls.map(({ pointer }) => ({ pointer, message: `The host name ${host} does not resolve.` }))
          : [];
      }),
    );
    return outcomes.flat();
  },
};
