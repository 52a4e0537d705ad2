import { coversScope, isScope, RESERVED_SCOPES, SCOPES } from '@crm/contracts';
import type { Check } from '../check.js';
import { compareManifests } from '../compare.js';
import { entriesOf } from '../example.js';
import { pointer } from '../json-pointer.js';
import { suggestion } from '../problem.js';
import { requestedScopes, scopeUses } from '../scope-usage.js';

export const SCP_001: Check = {
  id: 'SCP-001',
  title: 'Every requested scope is known and not reserved',
  severity: 'blocker',
  doc: {
    why: 'An admin grants scopes when installing an app. An unknown scope would be shown but mean nothing; a reserved one would let an app act as the platform.',
    fix: `Use the scopes of the platform: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
  },
  *run({ manifest }) {
    const embed = [...entriesOf(manifest.embed?.scopes)].map(([i, scope]) => ({
      scope,
      pointer: pointer('embed', 'scopes', i),
    }));
    for (const { scope, pointer: at } of [...requestedScopes(manifest), ...embed]) {
      if (isScope(scope)) continue;
      const message = RESERVED_SCOPES.includes(scope.split(':')[0]!)
        ? `The scope "${scope}" is reserved for the platform. Remove it.`
        : `Unknown scope "${scope}".${suggestion(scope, SCOPES)}`;
      yield { pointer: at, message };
    }
  },
};

export const SCP_002: Check = {
  id: 'SCP-002',
  title: 'Each scope is requested with a purpose',
  severity: 'warning',
  doc: {
    why: 'The admin who grants the scope sees the purpose.',
    fix: 'Write the permission as `{ "scope": "leads:read", "purpose": "…" }` with a sentence that an admin will understand.',
  },
  run: ({ manifest }) =>
    requestedScopes(manifest)
      .filter(({ purpose }) => purpose === undefined || purpose.trim() === '')
      .map(({ scope, pointer }) => ({
        pointer,
        message: `Explain why the app needs "${scope}": add a purpose that an admin will understand.`,
      })),
};

export const SCP_003: Check = {
  id: 'SCP-003',
  title: 'Every requested scope is used by the package',
  severity: 'advice',
  doc: {
    why: "Admins are more likely to approve an app that asks for less. The check sees only what the package declares, not the API calls of the app's own servers.",
    fix: "Remove the scope, or explain in its purpose what the app's servers do with it.",
  },
  run({ manifest }) {
    const used = new Set(scopeUses(manifest).map(({ scope }) => nameOf(scope)));
    return requestedScopes(manifest)
      .filter(({ scope }) => isScope(scope) && !used.has(nameOf(scope)))
      .map(({ scope, pointer }) => ({
        pointer,
        message: `The package doesn't use "${scope}". Remove it, or explain it in purpose.`,
      }));
  },
};

/** The scope without `:read`. */
function nameOf(scope: string): string {
  return scope.split(':')[0]!;
}

export const SCP_004: Check = {
  id: 'SCP-004',
  title: 'The new version needs no more access than the published one',
  severity: 'warning',
  doc: {
    why: "Workspaces haven't agreed to these additions: a new scope, event, host, or object; an optional scope that became required; or a formula that exposes more than its readers could see. An upgrade with such a change waits for an admin's consent.",
    fix: 'If the new access is intended, leave it: the upgrade asks for consent. Otherwise remove it.',
  },
  async run(context) {
    const published = await context.publishedManifest();
    if (published === undefined) return { skip: 'Only the server knows the published version.' };
    if (published === null) return [];
    return compareManifests(published, context.manifest, context.addressPolicy)
      .filter((change) => change.consent)
      .map(({ pointer, message }) => ({
        pointer,
        message: `${message} The upgrade needs an admin's consent.`,
      }));
  },
};

export const SCP_005: Check = {
  id: 'SCP-005',
  title: 'Every scope that the package uses is requested',
  severity: 'blocker',
  doc: {
    why: "An app can do only what its granted scopes allow. A package that uses a scope it doesn't request would fail after installation.",
    fix: 'Add the scope to `permissions`. The full scope covers its `:read`. Objects and actions on them need `custom_objects`, `create_task` needs `tasks`, actions on standard objects need their scope (`opportunity` needs `pipeline`), automations need `automations`, webhooks and triggers need the `:read` scope of the event’s domain, whether a webhook names one event or the whole domain (`lead.*`); for `user.*`, whose events contain names and email addresses, that is `users:read`. Events of the domains `app` and `webhook` need no scope.',
  },
  run({ manifest }) {
    const requested = [...new Set(requestedScopes(manifest).map(({ scope }) => scope))].filter(isScope);
    const reported = new Set<string>();
    return scopeUses(manifest).flatMap(({ scope, pointer, what, needed }) => {
      if (!needed || coversScope(requested, scope) || reported.has(scope)) return [];
      reported.add(scope);
      return [{ pointer, message: `${what} needs the scope "${scope}". Add it to permissions.` }];
    });
  },
};
