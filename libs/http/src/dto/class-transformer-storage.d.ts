// class-transformer publishes no types beside its CommonJS files: the part of its storage that instances are made by.
declare module 'class-transformer/cjs/storage.js' {
  import type {
    ClassConstructor,
    ExcludeOptions,
    ExposeOptions,
    TransformationType,
    TypeOptions,
  } from 'class-transformer';

  type DtoType = ClassConstructor<object>;

  export const defaultMetadataStorage: {
    findTransformMetadatas(type: DtoType, property: string, transformation: TransformationType): readonly unknown[];
    findExposeMetadata(type: DtoType, property: string): { readonly options: ExposeOptions } | undefined;
    findExcludeMetadata(type: DtoType, property: string): { readonly options: ExcludeOptions } | undefined;
    findTypeMetadata(
      type: DtoType,
      property: string,
    ): { readonly typeFunction: () => unknown; readonly options: TypeOptions } | undefined;
    getStrategy(type: DtoType): 'excludeAll' | 'exposeAll' | 'none';
    getExposedMetadatas(type: DtoType): readonly { readonly options: ExposeOptions }[];
  };
}
