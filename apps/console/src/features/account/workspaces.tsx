import { Act, CurrentPasswordInput, useTexts } from '@crm/ui';
import { Button, Group, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ROLE_TEXTS } from '../shell/role.texts.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import { type Offer, useAccountApi, type WorkspaceOfPerson } from './account.api.js';
import { useWorkspaceEntry } from './enter-workspace.js';
import { ENTRY_TEXTS } from './entry.texts.js';
import { useProof } from './proof.js';
import { Entries, Entry, Fact, Topic, useSay } from './topic.js';
import { WORKSPACE_TEXTS } from './workspaces.texts.js';

/** Where the person works, and the users of their address that they may make theirs. */
export function Workspaces() {
  const texts = useTexts(WORKSPACE_TEXTS);
  const { roles: names } = useTexts(ROLE_TEXTS);
  const api = useAccountApi();
  const queries = useQueryClient();
  const say = useSay();
  const callProven = useProof();
  const { enter, question } = useWorkspaceEntry();
  const { password: label } = useTexts(SIGN_IN_TEXTS);
  const { entries } = useTexts(ENTRY_TEXTS);
  /** True when the session does not speak for the person: what is elsewhere is listed with the password. */
  const [isPartial, setPartial] = useState(false);
  const [all, setAll] = useState<{ readonly data: readonly WorkspaceOfPerson[]; readonly password: string }>();
  const load = async () => {
    if (all) return all;
    const found = await api.workspaces();
    setPartial(found.partial);
    return found;
  };
  /** What has become of an entry, by its id. */
  const [outcomes, setOutcomes] = useState<Readonly<Record<string, string>>>({});
  const done = (id: string, outcome: string, said: string): void => {
    setOutcomes((before) => ({ ...before, [id]: outcome }));
    say(said);
    void queries.invalidateQueries({ queryKey: ['my-workspaces'] });
  };
  const leave = async ({ tenantId }: WorkspaceOfPerson): Promise<boolean> => {
    const left = await callProven(() => api.leaveWorkspace(tenantId));
    // The session has ended with the membership.
    if (left) location.assign('/account/sign-in');
    return left !== undefined;
  };
  const accept = async ({ userId }: Offer): Promise<boolean> => {
    const accepted = await callProven(() => api.acceptOffer(userId));
    if (accepted) done(userId, texts.hasAccepted, texts.accepted);
    return accepted !== undefined;
  };
  const decline = async ({ userId }: Offer): Promise<boolean> => {
    const declined = await callProven(() => api.declineOffer(userId));
    if (declined) done(userId, texts.hasDeclined, texts.declined);
    return declined !== undefined;
  };
  const rolesOf = (roles: readonly string[]): string => roles.map((role) => names[role] ?? role).join(', ');
  return (
    <Topic lead={texts.lead}>
      <Entries name={all ? 'all-workspaces' : 'workspaces'} load={load}>
        {(workspace) => (
          <Entry
            key={workspace.tenantId}
            title={workspace.name}
            note={workspace.current && texts.current}
            acts={
              workspace.current ? (
                <Act
                  act={texts.leave}
                  of={workspace.name}
                  title={texts.leaveTitle(workspace.name)}
                  text={texts.leaveText}
                  words={texts.problems}
                  onAct={() => leave(workspace)}
                />
              ) : (
                <Button
                  variant="default"
                  aria-label={`${texts.enter}: ${workspace.name}`}
                  onClick={() => enter({ ...workspace, password: all?.password })}
                >
                  {texts.enter}
                </Button>
              )
            }
          >
            <Fact name={texts.roles}>{rolesOf(workspace.roles)}</Fact>
          </Entry>
        )}
      </Entries>
      {isPartial && !all ? (
        <Group>
          <Act
            act={texts.elsewhere}
            confirm={texts.elsewhereAct}
            title={texts.elsewhere}
            text={texts.elsewhereText}
            words={texts.problems}
            onAct={async ({ password = '' }) => setAll({ ...(await api.allWorkspaces(password)), password })}
          >
            <CurrentPasswordInput label={label} />
          </Act>
        </Group>
      ) : null}
      <Title order={2} size="h3" mt="md">
        {texts.offers}
      </Title>
      <Text>{texts.offersText}</Text>
      <Entries name="offers" load={api.offers} none={texts.noOffers}>
        {(offer) => (
          <Entry
            key={offer.userId}
            title={offer.workspace}
            gone={outcomes[offer.userId] ?? false}
            acts={
              <>
                <Act
                  act={texts.accept}
                  of={offer.workspace}
                  title={`${texts.accept}: ${offer.workspace}`}
                  text={offer.invited ? texts.invitedBy : texts.usedBy}
                  words={texts.problems}
                  onAct={() => accept(offer)}
                />
                <Act
                  act={texts.decline}
                  of={offer.workspace}
                  title={`${texts.decline}: ${offer.workspace}`}
                  words={texts.problems}
                  onAct={() => decline(offer)}
                />
              </>
            }
          >
            <Text size="sm">{offer.invited ? texts.invitedBy : texts.usedBy}</Text>
            {offer.signsInBy === 'password' ? null : <Text size="sm">{entries[offer.signsInBy]}</Text>}
            <Fact name={texts.roles}>{rolesOf(offer.roles)}</Fact>
          </Entry>
        )}
      </Entries>
      {question}
    </Topic>
  );
}
