{{- define "hyperscout-crds.checks" -}}
{{- if semverCompare "<1.30.0-0" .Capabilities.KubeVersion.Version -}}
{{- fail (printf "the cluster is Kubernetes %s; hyperscout needs 1.30 or newer: upgrade the cluster" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end -}}

{{- /* Whether a definition of Volcano's is brought: a list of the root and the definition's text. */ -}}
{{- define "hyperscout-crds.brings" -}}
{{- $root := index . 0 -}}
{{- $name := (index . 1 | toString | fromYaml).metadata.name -}}
{{- $there := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name -}}
{{- $owner := dig "metadata" "annotations" "meta.helm.sh/release-name" "" ($there | default dict) -}}
{{- $home := dig "metadata" "annotations" "meta.helm.sh/release-namespace" "" ($there | default dict) -}}
{{- $ours := and (eq $owner $root.Release.Name) (eq $home $root.Release.Namespace) -}}
{{- $foreign := and $there (not $ours) -}}
{{- if eq $root.Values.volcanoKinds "leave" -}}no
{{- else if not $foreign -}}yes
{{- else if eq $root.Values.volcanoKinds "bring" -}}
{{- fail (printf "the cluster has %s already, and this release did not bring it: set volcanoKinds to auto or leave, and it stays as it is" $name) -}}
{{- else -}}no
{{- end -}}
{{- end -}}
