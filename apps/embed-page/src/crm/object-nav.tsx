import type { ObjectName } from '@crm/api-client';
import type { ObjectModel } from '@crm/records-ui';
import { useTexts } from '@crm/ui';
import { TEXTS } from '../texts.js';

export interface ObjectNavProps {
  readonly objects: readonly ObjectModel[];
  readonly current: string;
  readonly onChoose: (object: ObjectName) => void;
}

export function ObjectNav({ objects, current, onChoose }: ObjectNavProps) {
  const texts = useTexts(TEXTS);
  return (
    <nav className="nav" aria-label={texts.objects}>
      <ul>
        {objects.map(({ name, pluralLabel }) => (
          <li key={name}>
            <button
              type="button"
              className="nav-item"
              aria-current={name === current ? 'page' : undefined}
              onClick={() => onChoose(name)}
            >
              {pluralLabel}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
