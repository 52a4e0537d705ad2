import { ApiProblem } from '@crm/api-client';
import { LoadingLines, useLocale, useTexts } from '@crm/ui';
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { AccessRequest } from '../account/account.api.js';
import { useProof } from '../account/proof.js';
import { givenOf, ScopeChoice, type ScopeChoiceProps } from '../account/scope-choice.js';
import { useAccountApi } from '../account/use-account-api.js';
import { WithSession } from '../account/with-session.js';
import { CallerLine } from '../sign-in/caller-line.js';
import { NoSuchView, Page } from '../sign-in/parts/page.js';
import { ProblemText } from '../sign-in/parts/problem-text.js';
import { requestOf } from '../sign-in/place.js';
import { CONSENT_TEXTS } from './consent.texts.js';
import { destination } from './destination.js';
import { periodText } from './period-text.js';

/** What an app could do, and what of it the person gives. */
function ScopeList(choice: ScopeChoiceProps) {
  const texts = useTexts(CONSENT_TEXTS);
  const { scopes } = choice;
  if (scopes.length === 0) return <Text>{texts.nothing}</Text>;
  return (
    <Stack component="section" gap="xs" aria-labelledby="scopes">
      <Title order={2} size="h5" id="scopes">
        {texts.scopes}
      </Title>
      {scopes.every(({ required }) => required) ? null : <Text>{texts.choose}</Text>}
      <ScopeChoice {...choice} />
    </Stack>
  );
}

/** Whether an app gets access: who it is, what it could do, where the answer goes, and two buttons of equal weight. */
export default function Consent() {
  const texts = useTexts(CONSENT_TEXTS);
  const request = useLocation({ select: ({ searchStr }) => requestOf(searchStr) });
  if (request === undefined) return <NoSuchView />;
  return (
    <WithSession title={texts.signIn} lead={texts.signInText}>
      <LoadedRequest id={request} />
    </WithSession>
  );
}

function LoadedRequest({ id }: { readonly id: string }) {
  const texts = useTexts(CONSENT_TEXTS);
  const api = useAccountApi();
  const asked = useQuery({ queryKey: ['request', id], queryFn: () => api.accessRequest(id) });
  if (asked.data) return <Question asked={asked.data} />;
  if (asked.isFetching || !asked.error) {
    return (
      <Page title={texts.loading}>
        <LoadingLines label={texts.loading} />
      </Page>
    );
  }
  const { error } = asked;
  const isGone = error instanceof ApiProblem && (error.status === 404 || error.status === 410);
  return (
    <Page title={isGone ? texts.gone : texts.signIn}>
      {isGone ? <Text role="alert">{texts.goneText}</Text> : <ProblemText problem={error} words={texts.problems} />}
      {error instanceof ApiProblem && error.isTemporary ? (
        <Button variant="default" onClick={() => void asked.refetch()}>
          {texts.retry}
        </Button>
      ) : null}
      <CallerLine />
    </Page>
  );
}

function Question({ asked }: { readonly asked: AccessRequest }) {
  const { id, app, tenant, scopes, accessPeriod, redirectHost } = asked;
  const texts = useTexts(CONSENT_TEXTS);
  const { tag } = useLocale();
  const api = useAccountApi();
  const callProven = useProof();
  const [isLeaving, setIsLeaving] = useState(false);
  // A second click comes before the buttons are drawn as disabled.
  const isDecided = useRef(false);
  const [withheld, setWithheld] = useState<ReadonlySet<string>>(new Set());
  const [isNothing, setIsNothing] = useState(false);
  const decide = useMutation({
    mutationFn: async (decision: 'approve' | 'deny') => {
      if (isDecided.current) return;
      const given = givenOf(scopes, withheld);
      const hasNothing = decision === 'approve' && scopes.length > 0 && given.length === 0;
      setIsNothing(hasNothing);
      if (hasNothing) return;
      isDecided.current = true;
      const chosen = decision === 'approve' && withheld.size > 0 ? given : undefined;
      const decided = await callProven(() => api.decide(id, decision, chosen));
      if (!decided) return;
      const address = destination(decided.answer.redirectTo);
      setIsLeaving(true);
      location.assign(address);
    },
    onSettled: () => {
      isDecided.current = false;
    },
  });

  if (isLeaving) {
    return (
      <Page title={texts.leaving(redirectHost)}>
        <Text role="status">{texts.leavingText}</Text>
      </Page>
    );
  }
  return (
    <Page title={texts.title(app.name)}>
      <Text>
        {texts.by(app.publisher)} {texts.workspace(tenant.name)}
      </Text>
      <ScopeList scopes={scopes} withheld={withheld} onChange={setWithheld} />
      <Text>{texts.rights}</Text>
      <Text>{texts.period(periodText(accessPeriod.maxSeconds, tag), periodText(accessPeriod.idleSeconds, tag))}</Text>
      <Text>{texts.destination(redirectHost)}</Text>
      {isNothing ? (
        <Alert role="alert" color="red" variant="light" py="xs">
          {texts.nothingLeft}
        </Alert>
      ) : null}
      {decide.error ? <ProblemText problem={decide.error} words={texts.problems} /> : null}
      <Group grow>
        <Button variant="default" disabled={decide.isPending} onClick={() => decide.mutate('deny')}>
          {texts.deny}
        </Button>
        <Button variant="default" disabled={decide.isPending} onClick={() => decide.mutate('approve')}>
          {texts.approve}
        </Button>
      </Group>
      <CallerLine />
    </Page>
  );
}
