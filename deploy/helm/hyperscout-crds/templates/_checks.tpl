{{- define "hyperscout-crds.checks" -}}
{{- if semverCompare "<1.30.0-0" .Capabilities.KubeVersion.Version -}}
{{- fail (printf "the cluster is Kubernetes %s; hyperscout needs 1.30 or newer: upgrade the cluster" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- if and (eq .Values.volcanoKinds "auto") (not (lookup "v1" "Namespace" "" "kube-system")) -}}
{{- fail "volcanoKinds is auto, and what only renders (helm template, a dry run on the client) cannot see whether the cluster has HyperNode and PodGroup: set volcanoKinds to bring, or to leave beside Volcano" -}}
{{- end -}}
{{- end -}}

{{- /* Whether a definition of Volcano's is brought: a list of the root and the definition's name. */ -}}
{{- define "hyperscout-crds.brings" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $there := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name -}}
{{- $annotations := dig "metadata" "annotations" dict ($there | default dict) -}}
{{- $owner := printf "%s/%s" (get $annotations "meta.helm.sh/release-namespace") (get $annotations "meta.helm.sh/release-name") -}}
{{- $foreign := and $there (ne $owner (printf "%s/%s" $root.Release.Namespace $root.Release.Name)) -}}
{{- if and (eq $root.Values.volcanoKinds "bring") $foreign -}}
{{- fail (printf "the cluster has %s already, and this release did not bring it: set volcanoKinds to auto or leave, and it stays as it is" $name) -}}
{{- end -}}
{{- if or (eq $root.Values.volcanoKinds "leave") $foreign -}}
{{- include "hyperscout-crds.checkKept" (list $root $name $there) -}}no
{{- else -}}yes
{{- end -}}
{{- end -}}

{{- /* Helm deletes what a release no longer renders, unless the object itself says that it is kept. Somebody who took a
definition over may have taken that away from it, and with it would go all objects of its kind. */ -}}
{{- define "hyperscout-crds.checkKept" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $there := index . 2 -}}
{{- $record := lookup "v1" "ConfigMap" $root.Release.Namespace "hyperscout-crds" -}}
{{- $brought := dig "data" "brought" "" ($record | default dict) -}}
{{- $kept := eq (dig "metadata" "annotations" "helm.sh/resource-policy" "" ($there | default dict)) "keep" -}}
{{- if and $there (contains $name $brought) (not $kept) -}}
{{- fail (printf "this release brought %s, and somebody took it over: helm would now delete it with all its objects. Run first: kubectl annotate crd %s helm.sh/resource-policy=keep" $name $name) -}}
{{- end -}}
{{- end -}}
