import { ApiProblem } from '@crm/api-client';
import { AddressNotFound, LoadingLines, Page, ProblemNotice, useLocale, useTexts, valuesOf } from '@crm/ui';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type AccessRequest, useAccountApi } from '../account/account.api.js';
import { useProof } from '../account/proof.js';
import { givenOf, ScopeChoice } from '../account/scope-choice.js';
import { SECURITY_TEXTS } from '../account/security.texts.js';
import { WithSession } from '../account/with-session.js';
import { CallerLine } from '../sign-in/caller-line.js';
import { requestOf } from '../sign-in/page-address.js';
import { CONSENT_TEXTS } from './consent.texts.js';
import { destination } from './destination.js';
import { periodText } from './period-text.js';

/** Asks whether an app gets access: who it is, what it could do, where the answer goes, and two buttons of equal weight. */
export default function Consent() {
  const texts = useTexts(CONSENT_TEXTS);
  const request = useLocation({ select: ({ searchStr }) => requestOf(searchStr) });
  if (request === undefined) return <AddressNotFound />;
  return (
    <WithSession title={texts.signIn} lead={texts.signInText}>
      <LoadedRequest id={request} />
    </WithSession>
  );
}

function LoadedRequest({ id }: { readonly id: string }) {
  const texts = useTexts(CONSENT_TEXTS);
  const api = useAccountApi();
  const { data, error, refetch } = useQuery({ queryKey: ['request', id], queryFn: () => api.accessRequest(id) });
  if (data) return <Question asked={data} />;
  const isGone = error instanceof ApiProblem && (error.status === 404 || error.status === 410);
  return (
    <Page title={isGone ? texts.gone : error ? texts.signIn : texts.loading}>
      {isGone ? (
        <Text role="alert">{texts.goneText}</Text>
      ) : error ? (
        <ProblemNotice problem={error} words={texts.problems} onRetry={refetch} />
      ) : (
        <LoadingLines label={texts.loading} />
      )}
      {error ? <CallerLine /> : null}
    </Page>
  );
}

function Question({ asked }: { readonly asked: AccessRequest }) {
  const { appOf } = useTexts(SECURITY_TEXTS);
  const { id, app, tenant, scopes, accessPeriod, redirectHost } = asked;
  const texts = useTexts(CONSENT_TEXTS);
  const { tag } = useLocale();
  const api = useAccountApi();
  const callProven = useProof();
  const words = { ...texts.problems, FORBIDDEN: texts.problems.INSUFFICIENT_SCOPE };
  const choice = useRef<HTMLFormElement>(null);
  const [isLeaving, setIsLeaving] = useState(false);
  // A second click comes before the buttons are drawn as disabled.
  const isDecided = useRef(false);
  const decide = useMutation({
    mutationFn: async (decision: 'approve' | 'deny') => {
      if (isDecided.current) return;
      const given = decision === 'approve' && choice.current ? givenOf(scopes, valuesOf(choice.current)) : [];
      isDecided.current = true;
      const chosen = given.length === 0 || given.length === scopes.length ? undefined : given;
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
        {appOf(app.publisher)} {texts.workspace(tenant.name)}
      </Text>
      {scopes.length === 0 ? (
        <Text>{texts.nothing}</Text>
      ) : (
        <Stack component="section" gap="xs" aria-labelledby="scopes">
          <Title order={2} size="h5" id="scopes">
            {texts.scopes}
          </Title>
          {scopes.every(({ required }) => required) ? null : <Text>{texts.choose}</Text>}
          <form ref={choice}>
            <ScopeChoice scopes={scopes} />
          </form>
        </Stack>
      )}
      <Text>{texts.rights}</Text>
      <Text>{texts.period(periodText(accessPeriod.maxSeconds, tag), periodText(accessPeriod.idleSeconds, tag))}</Text>
      <Text>{texts.destination(redirectHost)}</Text>
      {decide.error ? <ProblemNotice problem={decide.error} words={words} /> : null}
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
