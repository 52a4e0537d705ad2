import type { UserView } from '@crm/api-client';
import { Loaded, ProblemNotice, useTexts } from '@crm/ui';
import { Badge, Button, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { ProofProvider } from '../account/proof.js';
import { ROLE_TEXTS } from '../shell/role.texts.js';
import { useAdministers, useCaller } from '../shell/shell.queries.js';
import { PersonActs } from './parts/person-acts.js';
import { SettingsPage } from './parts/settings-page.js';
import { PEOPLE_TEXTS } from './people.texts.js';

const DisablePerson = lazy(() => import('./parts/disable-person.js'));
const LinkRequests = lazy(() => import('./parts/link-requests.js'));
const InvitePerson = lazy(() => import('./parts/invite-person.js'));

/** Someone who has left keeps the name alone, by which records say who they are of. */
const isRemoved = ({ email }: UserView): boolean => email?.endsWith('@invalid') === true;

const TYPING_PAUSE_MS = 200;
/** The longest page of the API; anyone who looks for someone else searches. */
const MOST_SHOWN = 200;

/** Who is in the workspace. Administrators invite people here, disable and remove them, and give records to others. */
export default function PeoplePage() {
  return (
    <ProofProvider>
      <People />
    </ProofProvider>
  );
}

function People() {
  const texts = useTexts(PEOPLE_TEXTS);
  const { roles } = useTexts(ROLE_TEXTS);
  const client = useApiClient();
  const queries = useQueryClient();
  const { data: caller } = useCaller(client);
  const mayChange = useAdministers();
  const [isInviting, setInviting] = useState(false);
  const [chosen, setChosen] = useState<UserView>();
  const [q, setQ] = useState('');
  const [asked] = useDebouncedValue(q.trim(), TYPING_PAUSE_MS);
  const people = useQuery({
    queryKey: ['people', 'all', asked],
    queryFn: async ({ signal }) => {
      const query = { size: MOST_SHOWN, ...(asked && { q: asked }) };
      return (await client.GET('/api/tenant/users', { params: { query }, signal })).data?.data ?? [];
    },
    placeholderData: (previous) => previous,
  });
  const enable = useMutation({
    mutationFn: ({ id }: UserView) =>
      client.PATCH('/api/tenant/users/{id}', { params: { path: { id } }, body: { status: 'active' } }),
    onSuccess: async (_, { name }) => {
      await queries.invalidateQueries({ queryKey: ['people'] });
      notifications.show({ message: texts.enabled(name) });
    },
  });
  const actionsFor = (person: UserView) => {
    if (!mayChange || person.id === caller?.id) return null;
    const act = (text: string, onClick: () => void) => (
      <Button size="xs" variant="default" aria-label={`${text}: ${person.name}`} onClick={onClick}>
        {text}
      </Button>
    );
    return (
      <>
        {person.status === 'disabled' ? (
          <>
            {act(texts.reassign, () => setChosen(person))}
            {isRemoved(person) ? null : act(texts.enable, () => enable.mutate(person))}
          </>
        ) : (
          act(texts.disable, () => setChosen(person))
        )}
        {isRemoved(person) ? null : <PersonActs person={person} />}
      </>
    );
  };
  return (
    <SettingsPage name="people" lead={texts.lead}>
      <Suspense>{caller?.roles.includes('owner') ? <LinkRequests /> : null}</Suspense>
      <Group gap="xs">
        <TextInput
          type="search"
          w={380}
          maw="100%"
          aria-label={texts.search}
          placeholder={texts.search}
          value={q}
          maxLength={100}
          onChange={({ currentTarget }) => setQ(currentTarget.value)}
        />
        {mayChange ? <Button onClick={() => setInviting(true)}>{texts.invite}</Button> : null}
      </Group>
      {enable.error ? <ProblemNotice problem={enable.error} /> : null}
      <Loaded query={people} label={texts.search}>
        {(data) => (
          <>
            <ul className="people">
              {data.map((person) => (
                <li key={person.id}>
                  <div>
                    <Text fw={500}>
                      {person.name}{' '}
                      {person.id === caller?.id ? <Text span size="xs" c="dimmed">{`(${texts.you})`}</Text> : null}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {isRemoved(person) || person.email === null ? null : `${person.email} · `}
                      {person.roles.map((role) => roles[role] ?? role).join(', ')}
                    </Text>
                  </div>
                  <Group gap="xs">
                    {person.status === 'active' ? null : (
                      <Badge variant="default" tt="none">
                        {isRemoved(person) ? texts.isRemoved : (texts.statuses[person.status] ?? person.status)}
                      </Badge>
                    )}
                    {actionsFor(person)}
                  </Group>
                </li>
              ))}
            </ul>
            {data.length === MOST_SHOWN ? <Text c="dimmed">{texts.more}</Text> : null}
          </>
        )}
      </Loaded>
      <Suspense>{isInviting ? <InvitePerson onClose={() => setInviting(false)} /> : null}</Suspense>
      <Suspense>{chosen ? <DisablePerson person={chosen} onClose={() => setChosen(undefined)} /> : null}</Suspense>
    </SettingsPage>
  );
}
