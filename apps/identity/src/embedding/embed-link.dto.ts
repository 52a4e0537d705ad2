import { IdField, ListField, TextField } from '@crm/http';

/** Which user of the workspace a host's user is. */
export class EmbedLinkView {
  @TextField({ maxLength: 100 }) appKey: string;
  @TextField({ maxLength: 255, description: "The host's ID of the user" }) sub: string;
  @IdField() userId: string;
}

export class EmbedLinkInput extends EmbedLinkView {}

export class EmbedLinkQuery {
  @TextField({ maxLength: 100 }) appKey: string;
  @TextField({ maxLength: 255 }) sub: string;
}

export class EmbedLinkListView {
  @ListField(() => EmbedLinkView) data: EmbedLinkView[];
}

export class UndoLinkInput {
  @TextField({ maxLength: 200, description: 'The token from the emailed link', example: 'b3BhcXVlLXRva2Vu' })
  token: string;
}
