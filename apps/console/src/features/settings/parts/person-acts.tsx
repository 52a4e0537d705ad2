import type { UserView } from '@crm/api-client';
import { Confirm, Icon, useTexts } from '@crm/ui';
import { ActionIcon, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../../session/api-client-context.js';
import { useProof } from '../../account/proof.js';
import { showProblem } from '../../shell/parts/undo.js';
import { PEOPLE_TEXTS } from '../people.texts.js';

/** What an administrator does about someone now and then. */
export function PersonActs({ person }: { readonly person: UserView }) {
  const texts = useTexts(PEOPLE_TEXTS);
  const client = useApiClient();
  const queries = useQueryClient();
  const callProven = useProof();
  const [asked, setAsked] = useState<'factor' | 'remove'>();
  const { id, name } = person;
  const params = { path: { id } };
  const close = (): void => setAsked(undefined);
  const invite = async (): Promise<void> => {
    await client.POST('/api/tenant/users/{id}/invitation', { params });
    notifications.show({ message: texts.invited(person.email ?? name) });
  };
  const act = async (make: () => Promise<unknown>, message: string): Promise<void> => {
    if ((await callProven(make)) === undefined) return;
    await queries.invalidateQueries({ queryKey: ['people'] });
    notifications.show({ message });
    close();
  };
  return (
    <>
      <Menu position="bottom-end" shadow="md" withinPortal={false}>
        <Menu.Target>
          <ActionIcon variant="default" size="md" aria-label={texts.moreFor(name)}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {person.status === 'invited' ? (
            <Menu.Item onClick={() => invite().catch(showProblem)}>{texts.inviteAgain}</Menu.Item>
          ) : null}
          {person.status === 'active' ? (
            <Menu.Item onClick={() => setAsked('factor')}>{texts.resetFactor}…</Menu.Item>
          ) : null}
          <Menu.Item onClick={() => setAsked('remove')}>{texts.remove}…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === 'factor' ? (
        <Confirm
          title={texts.resetFactor}
          text={texts.resetFactorText(name)}
          act={texts.resetFactor}
          onAct={() =>
            act(() => client.DELETE('/api/tenant/users/{id}/second-factor', { params }), texts.factorReset(name))
          }
          onClose={close}
        />
      ) : null}
      {asked === 'remove' ? (
        <Confirm
          title={texts.removeTitle(name)}
          text={texts.removeText}
          act={texts.remove}
          onAct={() => act(() => client.DELETE('/api/tenant/users/{id}', { params }), texts.removed(name))}
          onClose={close}
        />
      ) : null}
    </>
  );
}
