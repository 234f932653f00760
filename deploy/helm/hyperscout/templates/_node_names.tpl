{{- /* The node name map of a sweeper: its text in a ConfigMap that is made, or one that is there. All take the sweeper's values. */ -}}

{{- /* The ConfigMap that holds it. The text is part of the name, so a changed one starts a new pod. */ -}}
{{- define "hyperscout.nodeNamesFrom" -}}
{{- with .nodeNameMap.configMap -}}
{{ . }}
{{- else -}}
hyperscout-sweeper-{{ .name }}-node-names-{{ .nodeNameMap.text | default "" | sha256sum | trunc 10 }}
{{- end -}}
{{- end -}}

{{- define "hyperscout.nodeNames" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "hyperscout.nodeNamesFrom" . }}
  namespace: hyperscout-node
  labels:
    app.kubernetes.io/name: hyperscout
data:
  {{- dict "names" .nodeNameMap.text | toYaml | nindent 2 }}
{{- end -}}

{{- /* The folder as a whole: a file that is mounted alone would never change in a running pod. */ -}}
{{- define "hyperscout.nodeNamesMount" -}}
- name: node-names
  mountPath: /etc/hyperscout-node-names
  readOnly: true
{{- end -}}

{{- define "hyperscout.nodeNamesVolume" -}}
- name: node-names
  configMap:
    name: {{ include "hyperscout.nodeNamesFrom" . }}
    items:
    - key: {{ .nodeNameMap.key | default "names" | quote }}
      path: names
{{- end -}}

{{- /* Takes the sweeper's values and whether it is one of Ethernet. */ -}}
{{- define "hyperscout.checkNodeNames" -}}
{{- $sweeper := index . 0 -}}
{{- with $sweeper.nodeNameMap -}}
{{- if index $ 1 -}}
{{- fail (printf "the sweeper %s has a nodeNameMap, and asks Ethernet switches, which nobody names by GUID: leave nodeNameMap out" $sweeper.name) -}}
{{- end -}}
{{- if and .text (or .configMap .key) -}}
{{- fail (printf "the nodeNameMap of the sweeper %s has text and names a ConfigMap, too: give text alone, or configMap and key" $sweeper.name) -}}
{{- end -}}
{{- if not (or .text (and .configMap .key)) -}}
{{- fail (printf "the nodeNameMap of the sweeper %s is not whole: give text, or configMap (in hyperscout-node) and key" $sweeper.name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
