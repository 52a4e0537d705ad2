import { useRecords } from '@crm/records-ui';
import { EmptyNotice, useLocale, useTexts } from '@crm/ui';
import { Text, Title } from '@mantine/core';
import { useTitle } from '../records/use-title.js';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { HOME_TEXTS } from './home.texts.js';
import { CompleteTask } from './parts/complete-task.js';
import { SectionCard } from './parts/section-card.js';
import { sectionsOf } from './sections.js';

/** The start of a day: what is due, what closes, who waits and what is new. */
export default function HomePage() {
  const shell = useTexts(SHELL_TEXTS);
  const texts = useTexts(HOME_TEXTS);
  const { tag } = useLocale();
  const { objects } = useRecords();
  useTitle(texts.title);
  if (objects.length === 0) return <EmptyNotice title={shell.nothing} text={shell.nothingText} />;
  return (
    <>
      <Title order={1} size="h3">
        {texts.title}
      </Title>
      <Text c="dimmed" mb="md">
        {new Intl.DateTimeFormat(tag, { weekday: 'long', day: 'numeric', month: 'long' }).format(new Date())}
      </Text>
      <div className="day">
        {sectionsOf(objects).map(({ section, model }) => (
          <SectionCard
            key={section.name}
            section={section}
            model={model}
            before={
              section.name === 'tasks' && model.updatable
                ? (task, title) => <CompleteTask task={task} title={title} />
                : undefined
            }
          />
        ))}
      </div>
    </>
  );
}
