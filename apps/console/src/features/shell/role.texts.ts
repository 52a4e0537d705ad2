import { catalogue } from '@crm/ui';

/** The roles of a workspace; others are named as they are. */
export const ROLE_TEXTS = catalogue({
  en: {
    roles: { owner: 'owner', admin: 'administrator', member: 'member', viewer: 'read only' } as Readonly<
      Record<string, string>
    >,
  },
  de: { roles: { owner: 'Inhaber', admin: 'Administration', member: 'Mitglied', viewer: 'nur lesen' } },
});
