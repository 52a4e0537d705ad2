import { createContext, useContext } from 'react';
import type { Place } from './place.js';

const PlaceContext = createContext<Place>({ path: '/' });

export const PlaceProvider = PlaceContext;

/** What the address has handed over. */
export const usePlace = (): Place => useContext(PlaceContext);
