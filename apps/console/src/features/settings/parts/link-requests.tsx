import type { LinkRequestView } from '@crm/api-client';
import { Confirm, useTexts } from '@crm/ui';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../../session/api-client-context.js';
import { useProof } from '../../account/proof.js';
import { PEOPLE_TEXTS } from '../people.texts.js';

/** What the owner is asked about again. */
interface Decision {
  readonly request: Waiting;
  readonly isSame: boolean;
}

/** The provider is known, and the user who has the address. */
interface Waiting extends LinkRequestView {
  readonly providerId: string;
  readonly has: string;
}

/** Whom a provider presents with the address of someone here: owners decide who they are. */
export default function LinkRequests() {
  const texts = useTexts(PEOPLE_TEXTS);
  const client = useApiClient();
  const queries = useQueryClient();
  const callProven = useProof();
  const [asked, setAsked] = useState<Decision>();
  const { data = [] } = useQuery({ queryKey: ['people', 'link-requests'], queryFn: () => waiting(client) });
  const decide = async ({ request, isSame }: Decision): Promise<void> => {
    const params = { path: { id: request.providerId, requestId: request.id } };
    const path = '/api/tenant/identity-providers/{id}/link-requests/{requestId}';
    const make = () => (isSame ? client.POST(`${path}/approve`, { params }) : client.POST(`${path}/deny`, { params }));
    if ((await callProven(make)) === undefined) return;
    await queries.invalidateQueries({ queryKey: ['people'] });
    notifications.show({ message: isSame ? texts.linked(request.has) : texts.linkDenied });
    setAsked(undefined);
  };
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="link-requests">
      <Title order={2} size="h5" id="link-requests">
        {texts.linksTitle}
      </Title>
      <Stack component="ul" gap="sm" p={0}>
        {data.map((request) => (
          <Group component="li" key={request.id} justify="space-between">
            <Text size="sm" flex="1 1 320px">
              {texts.linkText(request.email, request.has)}
            </Text>
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => setAsked({ request, isSame: true })}>
                {texts.linkYes}…
              </Button>
              <Button size="xs" variant="default" onClick={() => setAsked({ request, isSame: false })}>
                {texts.linkNo}…
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
      {asked ? (
        <Confirm
          title={asked.isSame ? texts.linkYesTitle(asked.request.has) : texts.linkNoTitle}
          text={asked.isSame ? texts.linkYesText : texts.linkNoText}
          act={asked.isSame ? texts.linkYes : texts.linkNo}
          onAct={() => decide(asked)}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </section>
  );
}

async function waiting(client: ReturnType<typeof useApiClient>): Promise<Waiting[]> {
  const { data: providers } = await client.GET('/api/tenant/identity-providers');
  const found = (providers?.data ?? []).map(async ({ id }) => {
    const { data } = await client.GET('/api/tenant/identity-providers/{id}/link-requests', {
      params: { path: { id } },
    });
    return (data?.data ?? []).map((request) => ({ ...request, providerId: id }));
  });
  const requests = (await Promise.all(found)).flat();
  if (requests.length === 0) return [];
  const ids = [...new Set(requests.map(({ userId }) => userId))];
  const { data: users } = await client.GET('/api/tenant/users', { params: { query: { ids } } });
  const names = new Map(users?.data.map(({ id, name }) => [id, name]));
  return requests.map((request) => ({ ...request, has: names.get(request.userId) ?? request.email }));
}
