import { RECORD_TEXTS } from '@crm/records-ui';
import { Pipeline, type PipelineProps } from '@crm/records-ui/pipeline';
import { useTexts } from '@crm/ui';
import { Button, Group, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';

/** The board of a pipeline, which is chosen where there are several. */
export default function BoardView(props: PipelineProps) {
  const texts = useTexts(RECORD_TEXTS);
  const { model, onCreate } = props;
  return (
    <>
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={1} size="h3">
          {model.pluralLabel}
        </Title>
        <Group gap="xs">
          <Button
            variant="default"
            renderRoot={(props: object) => (
              <Link to="/records/$object" params={{ object: model.apiName }} search={{}} {...props} />
            )}
          >
            {texts.list}
          </Button>
          {model.creatable ? <Button onClick={onCreate}>{texts.create(model.label)}</Button> : null}
        </Group>
      </Group>
      <Pipeline {...props} />
    </>
  );
}
