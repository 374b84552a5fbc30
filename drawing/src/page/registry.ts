// What Grafana's server would register at its start: the options of fields and the transformations.
import {
  FieldConfigOptionsRegistry, identityOverrideProcessor, standardFieldConfigEditorRegistry, standardTransformers, standardTransformersRegistry,
  type FieldConfigPropertyItem, type TransformerRegistryItem,
} from '@grafana/data';

// Properties that overrides may set on a field.
const standard = [
  'unit', 'min', 'max', 'decimals', 'displayName', 'noValue', 'thresholds', 'mappings', 'links', 'color', 'filterable', 'fieldMinMax', 'description', 'actions',
];

const item = (id: string, path: string, isCustom: boolean): FieldConfigPropertyItem => ({
  id, path, name: id, isCustom, editor: () => null, override: () => null, process: identityOverrideProcessor, settings: {}, shouldApply: () => true,
});

/** A registry that knows the standard properties and every custom one that a panel sets. */
export function fieldRegistry(customPaths: string[]): FieldConfigOptionsRegistry {
  return new FieldConfigOptionsRegistry(() => [
    ...standard.map((id) => item(id, id, false)),
    ...[...new Set(customPaths)].map((path) => item(`custom.${path}`, path, true)),
  ]);
}

/** Must run once before anything is drawn. */
export function register() {
  standardFieldConfigEditorRegistry.setInit(() => standard.map((id) => item(id, id, false)));
  const known = new Map(Object.values(standardTransformers).map((t) => [t.id, t]));
  standardTransformersRegistry.setInit(() =>
    [...known.values()].map((t) => ({ id: t.id, name: t.name, transformation: () => Promise.resolve(t), editor: () => null }) as unknown as TransformerRegistryItem),
  );
}

/** Whether a transformation is among Grafana's own. */
export const isTransformer = (id: string) => standardTransformersRegistry.getIfExists(id) !== undefined;
