{{- /* Replicas in different zones. By affinity: a spread by a label that nodes lack would undo the spread by hosts. */ -}}
{{- define "hyperscout.apart" -}}
podAntiAffinity:
  preferredDuringSchedulingIgnoredDuringExecution:
  - weight: 100
    podAffinityTerm:
      topologyKey: topology.kubernetes.io/zone
      labelSelector:
        matchLabels:
          {{- include "hyperscout.labels" . | nindent 10 }}
{{- end -}}

{{- /* Controller or scheduler: its Service, its budget and its Deployment. Takes root, component, values and settings. */ -}}
{{- define "hyperscout.replicated" -}}
{{- $name := printf "hyperscout-%s" .component -}}
{{- $port := include "hyperscout.port" (fromYaml .settings).http.listen -}}
{{- $config := dict "name" $name "namespace" "hyperscout-system" "settings" .settings -}}
{{ include "hyperscout.configMap" $config }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  namespace: hyperscout-system
  labels:
    {{- include "hyperscout.labels" .component | nindent 4 }}
spec:
  selector:
    {{- include "hyperscout.labels" .component | nindent 4 }}
  ports:
  - name: http
    port: {{ $port }}
    targetPort: http
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  namespace: hyperscout-system
  labels:
    {{- include "hyperscout.labels" .component | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "hyperscout.labels" .component | nindent 6 }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  namespace: hyperscout-system
  labels:
    {{- include "hyperscout.labels" .component | nindent 4 }}
spec:
  replicas: {{ .values.replicas }}
  selector:
    matchLabels:
      {{- include "hyperscout.labels" .component | nindent 6 }}
  strategy:
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 1
  template:
    metadata:
      labels:
        {{- include "hyperscout.labels" .component | nindent 8 }}
    spec:
      serviceAccountName: {{ $name }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      priorityClassName: {{ include "hyperscout.systemPriority" .root }}
      terminationGracePeriodSeconds: 10
      {{- include "hyperscout.pullSecrets" .root | nindent 6 }}
      {{- $affinity := mergeOverwrite (include "hyperscout.apart" .component | fromYaml) .values.affinity }}
      {{- include "hyperscout.placement" (set (deepCopy .values) "affinity" $affinity) | nindent 6 }}
      topologySpreadConstraints:
      - topologyKey: kubernetes.io/hostname
        maxSkew: 1
        whenUnsatisfiable: ScheduleAnyway
        matchLabelKeys: [pod-template-hash]
        labelSelector:
          matchLabels:
            {{- include "hyperscout.labels" .component | nindent 12 }}
      securityContext:
        {{- include "hyperscout.restrictedPod" nil | nindent 8 }}
      containers:
      - name: {{ .component }}
        image: {{ include "hyperscout.image" .root }}
        imagePullPolicy: {{ .root.Values.image.pullPolicy }}
        command: [hyperscout, {{ .component }}, --config, /etc/hyperscout/settings.yaml]
        ports:
        - name: http
          containerPort: {{ $port }}
        startupProbe:
          httpGet:
            path: /healthz
            {{- include "hyperscout.probed" .root.Values.tls.systemSecret | nindent 12 }}
          periodSeconds: 2
          failureThreshold: 60
        livenessProbe:
          httpGet:
            path: /healthz
            {{- include "hyperscout.probed" .root.Values.tls.systemSecret | nindent 12 }}
          periodSeconds: 10
          timeoutSeconds: 5
          failureThreshold: 6
        readinessProbe:
          httpGet:
            path: /readyz
            {{- include "hyperscout.probed" .root.Values.tls.systemSecret | nindent 12 }}
          periodSeconds: 5
          timeoutSeconds: 5
        resources:
          {{- toYaml .values.resources | nindent 10 }}
        securityContext:
          {{- include "hyperscout.restrictedContainer" nil | nindent 10 }}
        volumeMounts:
        {{- include "hyperscout.mounts" .root.Values.tls.systemSecret | nindent 8 }}
      volumes:
      {{- include "hyperscout.volumes" (list (include "hyperscout.configMapName" $config) .root.Values.tls.systemSecret) | nindent 6 }}
{{- end -}}
