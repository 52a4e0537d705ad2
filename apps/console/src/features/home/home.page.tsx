import { RECORD_TEXTS, shortList, useRecords } from '@crm/records-ui';
import { EmptyNotice, LoadingLines, useLocale, useTexts } from '@crm/ui';
import { Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useTitle } from '../records/use-title.js';
import { SHELL_TEXTS } from '../shell/shell.texts.js';
import { HOME_TEXTS } from './home.texts.js';
import { SectionCard } from './parts/section-card.js';
import { queryOf, sectionsOf } from './sections.js';

/** The start of a day: what is due, what closes, who waits and what is new. */
export default function HomePage() {
  const shell = useTexts(SHELL_TEXTS);
  const texts = useTexts(HOME_TEXTS);
  const { tag } = useLocale();
  const { loading } = useTexts(RECORD_TEXTS);
  const { api, objects } = useRecords();
  const sections = sectionsOf(objects);
  const lists = useQueries({
    queries: sections.map(({ section, model }) => shortList(api, model.name, queryOf(section, model))),
  });
  useTitle(texts.title);
  if (objects.length === 0) return <EmptyNotice title={shell.nothing} text={shell.nothingText} />;
  const cards = sections.map(({ section, model }, index) => (
    <SectionCard key={section.name} section={section} model={model} list={lists[index] as (typeof lists)[number]} />
  ));
  const half = Math.ceil(cards.length / 2);
  return (
    <>
      <Title order={1} size="h3">
        {texts.title}
      </Title>
      <Text c="dimmed" mb="md">
        {new Intl.DateTimeFormat(tag, { weekday: 'long', day: 'numeric', month: 'long' }).format(new Date())}
      </Text>
      {/* All at once, so that none moves another. */}
      {lists.some(({ isPending }) => isPending) ? (
        <LoadingLines label={loading} lines={10} />
      ) : (
        <div className="day">
          <div>{cards.slice(0, half)}</div>
          <div>{cards.slice(half)}</div>
        </div>
      )}
    </>
  );
}
