import { Confirm, EmailInput, NameInput, useTexts } from '@crm/ui';
import { Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../../session/api-client-context.js';
import { useProof } from '../../account/proof.js';
import { ROLE_TEXTS } from '../../shell/role.texts.js';
import { useCaller } from '../../shell/shell.queries.js';
import { PEOPLE_TEXTS } from '../people.texts.js';

/** Below an owner nobody makes owners. */
const ROLES = ['viewer', 'member', 'admin', 'owner'] as const;

/** Asks for whom to invite: the mail reaches them whether they have an account already or not. */
export default function InvitePerson({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts(PEOPLE_TEXTS);
  const { roles: names } = useTexts(ROLE_TEXTS);
  const client = useApiClient();
  const queries = useQueryClient();
  const callProven = useProof();
  const isOwner = useCaller(client).data?.roles.includes('owner');
  const [role, setRole] = useState<string>('member');
  const roles = ROLES.filter((one) => one !== 'owner' || isOwner);
  return (
    <Confirm
      title={texts.invite}
      text={texts.inviteText}
      act={texts.inviteAct}
      words={texts.inviteProblems}
      onClose={onClose}
      onAct={async ({ email = '', name = '' }) => {
        const body = { email, name, roles: [role] };
        if (!(await callProven(() => client.POST('/api/tenant/users', { body })))) return;
        await queries.invalidateQueries({ queryKey: ['people'] });
        notifications.show({ message: texts.invited(email) });
        onClose();
      }}
    >
      <EmailInput label={texts.email} autoComplete="off" />
      <NameInput label={texts.name} maxLength={200} />
      <Select
        label={texts.role}
        allowDeselect={false}
        data={roles.map((value) => ({ value, label: names[value] ?? value }))}
        value={role}
        onChange={(value) => setRole(value ?? 'member')}
        comboboxProps={{ withinPortal: true }}
      />
    </Confirm>
  );
}
