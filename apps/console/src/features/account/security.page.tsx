import { useTexts } from '@crm/ui';
import { NavLink } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CallerLine } from '../sign-in/caller-line.js';
import { Page } from '../sign-in/parts/page.js';
import { ApiKeys } from './api-keys.js';
import { Apps } from './apps.js';
import { Password } from './change-password.js';
import { Passkeys } from './passkeys.js';
import { ProofProvider } from './proof.js';
import { SecondFactorTopic } from './second-factor.js';
import { SECURITY_TEXTS, type TopicName } from './security.texts.js';
import { Sessions } from './sessions.js';
import type { TopicViewProps } from './topic.js';

const VIEWS: Readonly<Record<TopicName, (props: TopicViewProps) => ReactNode>> = {
  sessions: Sessions,
  passkeys: Passkeys,
  secondFactor: SecondFactorTopic,
  apps: Apps,
  apiKeys: ApiKeys,
  password: Password,
};

/** Where people look after their account: one topic after the other, because a phone shows no more at a time. */
export default function SecurityPage() {
  const navigate = useNavigate();
  const { topic } = useSearch({ strict: false }) as { topic?: string };
  const View = VIEWS[topic as TopicName];
  const choose = (next: TopicName | undefined): void =>
    void navigate({ to: '/account/security', search: next ? { topic: next } : {} } as never);
  return (
    <ProofProvider>{View ? <View onBack={() => choose(undefined)} /> : <Overview onChoose={choose} />}</ProofProvider>
  );
}

function Overview({ onChoose }: { readonly onChoose: (topic: TopicName) => void }) {
  const { title, topics } = useTexts(SECURITY_TEXTS);
  return (
    <Page title={title}>
      <CallerLine />
      <div>
        {(Object.keys(VIEWS) as TopicName[]).map((name) => (
          <NavLink
            key={name}
            component="button"
            type="button"
            label={topics[name].title}
            description={topics[name].text}
            onClick={() => onChoose(name)}
          />
        ))}
      </div>
    </Page>
  );
}
