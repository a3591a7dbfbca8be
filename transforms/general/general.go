// Package general holds the passes of MLIR that know no dialect in particular: one file a pass, with mlir-opt's names,
// options and results.
package general

import "tpuir/pass"

// Definitions returns all passes of the package. The registry is where the inliner finds the passes that it runs itself.
func Definitions(r *pass.Registry) []*pass.Definition {
	return []*pass.Definition{
		cseDefinition(),
		inlineDefinition(r),
		locationSnapshotDefinition("location-snapshot"),
		locationSnapshotDefinition("snapshot-op-locations"),
		printIRDefinition(),
		printOpStatsDefinition(),
		removeDeadValuesDefinition(r),
		stripDebugInfoDefinition(),
		symbolDCEDefinition(),
		symbolPrivatizeDefinition(),
		topologicalSortDefinition(),
		viewOpGraphDefinition(),
	}
}
