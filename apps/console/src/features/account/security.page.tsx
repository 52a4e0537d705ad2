import { Page, useTexts } from '@crm/ui';
import { NavLink } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentType, useState } from 'react';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { CallerLine } from '../sign-in/caller-line.js';
import { ApiKeys } from './api-keys.js';
import { Apps } from './apps.js';
import { Password } from './change-password.js';
import { Passkeys } from './passkeys.js';
import { ProofProvider } from './proof.js';
import { SecondFactor } from './second-factor.js';
import { SECURITY_TEXTS, type TopicName } from './security.texts.js';
import { Sessions } from './sessions.js';
import { TopicContext, type TopicState } from './topic.js';
import { Workspaces } from './workspaces.js';

const VIEWS: Readonly<Record<TopicName, ComponentType>> = {
  workspaces: Workspaces,
  sessions: Sessions,
  passkeys: Passkeys,
  secondFactor: SecondFactor,
  apps: Apps,
  apiKeys: ApiKeys,
  password: Password,
};

/** Where people look after their account: one topic after the other, because a phone shows no more at a time. */
export default function SecurityPage() {
  const navigate = useNavigate();
  const { topic } = useSearch({ strict: false }) as { topic?: TopicName };
  const choose = (next?: TopicName): void =>
    void navigate({ to: '/account/security', search: next ? { topic: next } : {} } as never);
  return topic && VIEWS[topic] ? (
    <OneTopic key={topic} name={topic} onBack={() => choose()} />
  ) : (
    <Overview onChoose={choose} />
  );
}

function OneTopic({ name, onBack }: Pick<TopicState, 'name' | 'onBack'>) {
  const [outcome, say] = useState<string>();
  const View = VIEWS[name];
  return (
    <TopicContext value={{ name, outcome, say, onBack }}>
      <ProofProvider>
        <View />
      </ProofProvider>
    </TopicContext>
  );
}

function Overview({ onChoose }: { readonly onChoose: (topic: TopicName) => void }) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const { security } = useTexts(SHELL_TEXTS);
  return (
    <Page title={security}>
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
