import { Button, useTexts } from '@crm/ui';
import { type ReactNode, useState } from 'react';
import { Page } from '../parts/page.js';
import { useCaller, useSession } from '../session.js';
import { CallerLine } from '../sign-in/account.js';
import { SignIn } from '../sign-in/sign-in.js';
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

/** Where people look after their account. Like every view here it begins with a sign-in, and its session ends with the page. */
export default function Security() {
  const texts = useTexts(SECURITY_TEXTS);
  const { token } = useSession();
  if (token === undefined) return <SignIn title={texts.signIn} lead={texts.signInText} />;
  return (
    <ProofProvider>
      <Topics />
    </ProofProvider>
  );
}

/** One topic after the other: a phone shows no more at a time. */
function Topics() {
  const [topic, setTopic] = useState<TopicName>();
  if (topic === undefined) return <Overview onChoose={setTopic} />;
  const View = VIEWS[topic];
  return <View onBack={() => setTopic(undefined)} />;
}

function Overview({ onChoose }: { readonly onChoose: (topic: TopicName) => void }) {
  const { title, topics } = useTexts(SECURITY_TEXTS);
  const { caller } = useCaller();
  return (
    <Page title={title}>
      <CallerLine caller={caller} />
      <ul className="topics">
        {(Object.keys(VIEWS) as TopicName[]).map((name) => (
          <li key={name}>
            <Button className="topic" onClick={() => onChoose(name)}>
              <span>
                <strong>{topics[name].title}</strong>
                <span className="muted">{topics[name].text}</span>
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </Page>
  );
}
