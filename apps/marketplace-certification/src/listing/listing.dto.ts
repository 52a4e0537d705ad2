import {
  BooleanField,
  DateTimeField,
  EnumField,
  field,
  IntegerField,
  ListField,
  ListQuery,
  NumberField,
  ObjectField,
  TextField,
} from '@crm/http';
import { HOST_SECTIONS } from '@crm/manifest';
import { NoticeView } from '../installation/installation.dto.js';

export class ListingQuery extends ListQuery {
  @TextField({
    optional: true,
    maxLength: 200,
    description: 'Words to search for in the name, key, publisher, and texts',
  })
  q?: string;
}

export class RatingSummaryView {
  @NumberField({ nullable: true, minimum: 1, maximum: 5, description: 'Rounded to two digits; null without ratings' })
  average: number | null;

  @IntegerField({ minimum: 0 }) count: number;
}

export class AppView {
  @TextField({ maxLength: 64 }) key: string;
  @TextField({ maxLength: 200 }) name: string;
  @TextField({ maxLength: 40 }) kind: string;
  @TextField({ maxLength: 1000, nullable: true }) summary: string | null;
  @TextField({ maxLength: 64, description: 'The published version' }) version: string;
  @ObjectField(() => RatingSummaryView) rating: RatingSummaryView;

  @IntegerField({ minimum: 0, description: 'Number of workspaces with the app installed, without sandboxes' })
  installCount: number;
}

export class PublisherView {
  @TextField({ maxLength: 200, description: 'Name of the publishing workspace' }) name: string;
  @TextField({ optional: true, maxLength: 2048 }) website?: string;
  @TextField({ optional: true, maxLength: 254 }) supportEmail?: string;
  @TextField({ optional: true, maxLength: 2048 }) privacyUrl?: string;
  @TextField({ optional: true, maxLength: 2048 }) termsUrl?: string;
}

export class PermissionView {
  @TextField({ maxLength: 40 }) scope: string;
  @TextField({ maxLength: 10_000, nullable: true }) purpose: string | null;
  @BooleanField({ description: 'Whether the app works without it' }) optional: boolean;
}

export class OfferedObjectView {
  @TextField({ maxLength: 40 }) apiName: string;
  @TextField({ maxLength: 10_000 }) label: string;
}

export class HostUseView {
  @TextField({ maxLength: 300, example: 'hooks.acme.example.com' }) host: string;

  @ListField(field.enum(HOST_SECTIONS), {
    description:
      'What the host is for: data is sent to it (`automations`, `webhooks`) or read from it (`connector`, `assistant`), it frames the CRM (`embed`), or browsers return to it after consent (`oauth`)',
  })
  sections: string[];
}

export class ReviewView {
  @IntegerField({ minimum: 1, maximum: 5 }) stars: number;
  @TextField({ maxLength: 2000, nullable: true }) text: string | null;
  @DateTimeField() at: string;
}

export class AppDetailView extends AppView {
  @ObjectField(() => PublisherView) publisher: PublisherView;
  @DateTimeField() publishedAt: string;
  @TextField({ maxLength: 100_000, nullable: true }) description: string | null;
  @ListField(field.text({ maxLength: 10_000 })) categories: string[];
  @TextField({ maxLength: 10_000, nullable: true }) icon: string | null;
  @ListField(field.text({ maxLength: 10_000 })) screenshots: string[];
  @EnumField(['public', 'unlisted', 'private']) visibility: string;
  @ListField(() => PermissionView, { description: 'The scopes that the app requests' }) permissions: PermissionView[];
  @ListField(() => OfferedObjectView) objects: OfferedObjectView[];

  @ListField(field.text({ maxLength: 100 }), {
    description: "Events sent to the app's webhooks",
    example: ['lead.created', 'deal.*'],
  })
  events: string[];

  @ListField(field.text({ maxLength: 300 }), {
    description: 'Every host that the app works with, with its port unless it is 443',
    example: ['hooks.acme.example.com'],
  })
  hosts: string[];

  @ListField(() => HostUseView, { description: 'The same hosts, each with the package sections that name it' })
  hostUses: HostUseView[];

  @ListField(() => NoticeView, { description: 'What to know before installing, such as fields it opens' })
  notices: NoticeView[];

  @TextField({ maxLength: 100_000, nullable: true }) releaseNotes: string | null;
  @ListField(() => ReviewView, { description: 'The latest ten ratings with a text' }) reviews: ReviewView[];
}

export class RateInput {
  @IntegerField({ minimum: 1, maximum: 5 }) stars: number;

  @TextField({
    optional: true,
    maxLength: 2000,
    description: 'Shown in the listing without a name',
    example: 'Saves us an hour a day',
  })
  text?: string;
}

export class RatingView {
  @IntegerField({ minimum: 1, maximum: 5 }) stars: number;
  @TextField({ maxLength: 2000, nullable: true }) text: string | null;
  @DateTimeField() updatedAt: string;
}
