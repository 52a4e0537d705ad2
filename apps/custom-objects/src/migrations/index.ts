import { DATABASES } from '@crm/contracts';
import { StaleDefinition1795500000002 } from './1795500000002-stale-definition.js';
import { RecordIndex1795500001600 } from './1795500001600-record-index.js';
import { RecordFunctions1795500001610 } from './1795500001610-record-functions.js';
import { ClaimFunctions1795500001630 } from './1795500001630-claim-functions.js';
import { EventsByFunction1795500001640 } from './1795500001640-events-by-function.js';
import { SearchPage1795500001650 } from './1795500001650-search-page.js';
import { RecordFunctionsAgain1795500001660 } from './1795500001660-record-functions-again.js';
import { SearchIndexes1795500001680 } from './1795500001680-search-indexes.js';
import { SavedViews1795500001700 } from './1795500001700-saved-views.js';
import { OwnersAndPhones1795500001710 } from './1795500001710-owners-and-phones.js';
import { Picklists1795500001720 } from './1795500001720-picklists.js';
import { HistoryAndNotes1795500001730 } from './1795500001730-history-and-notes.js';
import { SlotsOfCompanies1795500001731 } from './1795500001731-slots-of-companies.js';
import { Bin1795500001760 } from './1795500001760-bin.js';
import { ErasedRecords1795500001770 } from './1795500001770-erased-records.js';
import { SearchObjects1795500001780 } from './1795500001780-search-objects.js';
import { SearchObjectsAgain1795500001790 } from './1795500001790-search-objects-again.js';
import { SearchObjectsWithAllRevisions1795500001800 } from './1795500001800-search-objects-with-all-revisions.js';
import { NoteChanges1795800001740 } from './1795800001740-note-changes.js';
import { SearchesByWhatIsShown1795800001741 } from './1795800001741-searches-by-what-is-shown.js';
import { MergedRecords1795800001742 } from './1795800001742-merged-records.js';
import { HiddenReferences1795800001743 } from './1795800001743-hidden-references.js';
import { SearchLists1795800001744 } from './1795800001744-search-lists.js';
import { StorageUse1795800001790 } from './1795800001790-storage-use.js';

export const databaseRoles = DATABASES['custom-objects'];
export const migrations = [
  StaleDefinition1795500000002,
  RecordIndex1795500001600,
  RecordFunctions1795500001610,
  ClaimFunctions1795500001630,
  EventsByFunction1795500001640,
  SearchPage1795500001650,
  RecordFunctionsAgain1795500001660,
  SearchIndexes1795500001680,
  SavedViews1795500001700,
  OwnersAndPhones1795500001710,
  Picklists1795500001720,
  HistoryAndNotes1795500001730,
  SlotsOfCompanies1795500001731,
  Bin1795500001760,
  ErasedRecords1795500001770,
  SearchObjects1795500001780,
  SearchObjectsAgain1795500001790,
  SearchObjectsWithAllRevisions1795500001800,
  NoteChanges1795800001740,
  SearchesByWhatIsShown1795800001741,
  MergedRecords1795800001742,
  HiddenReferences1795800001743,
  SearchLists1795800001744,
  StorageUse1795800001790,
];
