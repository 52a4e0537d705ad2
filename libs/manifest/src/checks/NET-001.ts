import { checkAddress, isAddress } from '@crm/address-policy';
import type { Check } from '../check.js';
import { judgeUrl, MAX_HOSTS, outboundUrls, urlsByHost } from '../outbound-urls.js';
import type { Problem } from '../problem.js';

export const NET_001: Check = {
  id: 'NET-001',
  title: 'Every target is an https URL with a public host and an allowed port',
  severity: 'blocker',
  doc: {
    why: 'The platform calls webhook, connector and action targets from inside its own network. A private name or address, in whatever notation, would give access to hosts that are not public.',
    fix: 'Use an `https` URL without user name and password, with a public host name and port 443. Placeholders are allowed only in the path and the query.',
  },
  async run(context) {
    const problems: Problem[] = [];
    for (const { text, pointer } of outboundUrls(context.manifest)) {
      const verdict = judgeUrl(text, context.addressPolicy);
      if (!verdict.ok) problems.push({ pointer, message: `${verdict.message}.` });
    }
    const hosts = urlsByHost(context.manifest, context.addressPolicy);
    if (hosts.size > MAX_HOSTS) {
      problems.push({ pointer: '', message: `The package calls more than ${MAX_HOSTS} hosts, the maximum.` });
      return problems;
    }
    const names = [...hosts].filter(([host]) => !isAddress(host));
    if (!context.probes.resolveHost && problems.length === 0 && names.length > 0) {
      return { skip: 'The URLs are valid; only the marketplace looks up their host names.' };
    }
    const outcomes = await Promise.all(
      names.map(async ([host, urls]) => {
        const answers = (await context.resolveHost(host)) ?? [];
        if (answers.every((address) => checkAddress(address).ok)) return [];
        const message = `The host name ${host} resolves to an address that is not public.`;
        return urls.map(({ pointer }) => ({ pointer, message }));
      }),
    );
    return [...problems, ...outcomes.flat()];
  },
};
