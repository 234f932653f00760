{{- /* The labels of everything that belongs to one component. */ -}}
{{- define "hyperscout.labels" -}}
app.kubernetes.io/name: hyperscout
app.kubernetes.io/component: {{ . }}
{{- end -}}

{{- define "hyperscout.image" -}}
{{- $image := .Values.image -}}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end -}}

{{- /* The port of an address HOST:PORT. */ -}}
{{- define "hyperscout.port" -}}
{{ regexFind "[0-9]+$" . }}
{{- end -}}

{{- /* The settings file of a component: a list of its settings, and of those that the chart gives where they are silent. */ -}}
{{- define "hyperscout.settings" -}}
{{- mergeOverwrite (deepCopy (index . 1)) (index . 0) | toYaml -}}
{{- end -}}

{{- /* Settings are part of the name, so changed ones start new pods and a rollback finds the old ones. */ -}}
{{- define "hyperscout.configMapName" -}}
{{ .name }}-settings-{{ sha256sum .settings | trunc 10 }}
{{- end -}}

{{- define "hyperscout.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "hyperscout.configMapName" . }}
  namespace: {{ .namespace }}
  labels:
    app.kubernetes.io/name: hyperscout
data:
  settings.yaml: |
    {{- .settings | nindent 4 }}
{{- end -}}

{{- define "hyperscout.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Where a pod may run: nodeSelector, affinity and tolerations of a component's values. */ -}}
{{- define "hyperscout.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* What the chart sets of the section http: a list of the address and of the Secret with a certificate, or "". */ -}}
{{- define "hyperscout.http" -}}
listen: {{ index . 0 | quote }}
{{- if index . 1 }}
tlsCertificate: /etc/hyperscout-tls/tls.crt
tlsKey: /etc/hyperscout-tls/tls.key
{{- end }}
{{- end -}}

{{- /* The port of /healthz and /readyz, and how they are asked. */ -}}
{{- define "hyperscout.probed" -}}
port: http
{{- if . }}
scheme: HTTPS
{{- end }}
{{- end -}}

{{- /* Takes the Secret with a certificate, or "". */ -}}
{{- define "hyperscout.mounts" -}}
- name: settings
  mountPath: /etc/hyperscout
  readOnly: true
- name: token
  mountPath: /var/run/secrets/kubernetes.io/serviceaccount
  readOnly: true
{{- if . }}
- name: tls
  mountPath: /etc/hyperscout-tls
  readOnly: true
{{- end }}
{{- end -}}

{{- /* The volumes of the mounts: a list of the ConfigMap's name and of the Secret with a certificate, or "". */ -}}
{{- define "hyperscout.volumes" -}}
- name: settings
  configMap:
    name: {{ index . 0 }}
{{ include "hyperscout.token" nil }}
{{- with index . 1 }}
- name: tls
  secret:
    secretName: {{ . }}
{{- end }}
{{- end -}}

{{- define "hyperscout.token" -}}
- name: token
  projected:
    sources:
    - serviceAccountToken:
        path: token
        expirationSeconds: 3600
    - configMap:
        name: kube-root-ca.crt
        items:
        - key: ca.crt
          path: ca.crt
    - downwardAPI:
        items:
        - path: namespace
          fieldRef:
            fieldPath: metadata.namespace
{{- end -}}

{{- define "hyperscout.systemPriority" -}}
{{ .Values.priorityClassNames.system | default "hyperscout-system" }}
{{- end -}}

{{- define "hyperscout.nodePriority" -}}
{{ .Values.priorityClassNames.node | default "hyperscout-node" }}
{{- end -}}

{{- define "hyperscout.restrictedPod" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "hyperscout.restrictedContainer" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}
